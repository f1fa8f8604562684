// What this machine says about TPUs before any library is loaded.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace kernel_audit::target {

// TPU chips on the PCI bus, "0000:00:04.0 (v5e)". Source of the numbers: JAX 0.9.2's hardware_utils.py, which asks the same folder.
std::vector<std::string> TpuChips(const std::filesystem::path& devices = "/sys/bus/pci/devices");

// The library that TPU_LIBRARY_PATH names, else the one that was fetched for this project; empty: neither is there.
std::filesystem::path InstalledLibtpu();

// For a process that is going to load libtpu on a machine without chips: no question to a metadata server over the network and no lock against
// others. What is set already stays; with chips, everything does.
void PrepareForLibtpu(bool has_chips);

}  // namespace kernel_audit::target
