// kernel-audit doctor: what this machine has, and what each lack means.
#include <CLI/CLI.hpp>

#include <sys/utsname.h>

#include <cstdio>
#include <memory>
#include <set>
#include <thread>

#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/json.h"
#include "kernel_audit/core/printable.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/sandbox/sandbox.h"
#include "kernel_audit/simulated/simulator.h"
#include "kernel_audit/target/compile.h"
#include "kernel_audit/worker/toolchain.h"

namespace kernel_audit::cli {
namespace {

namespace fs = std::filesystem;
using core::Json;

// One thing that a machine has or lacks.
struct Item {
  std::string name;
  bool there = false;
  std::string text;                 // what it is; of a lack, why and what it means
  Json details = Json::object();    // for machines
};

Item System() {
  utsname names{};
  uname(&names);
  const unsigned cores = std::thread::hardware_concurrency();
  return {"system", true, std::string(names.sysname) + " " + names.release + ", " + names.machine + ", " + std::to_string(cores) + " cores", {{"kernel", names.release}, {"cores", cores}}};
}

Item SimulatedTier() {
  const auto simulator = simulated::Simulator::Create();
  if (!simulator) return {"XLA:CPU", false, simulator.error().ToString() + "; without it nothing is simulated: scripts/setup fetches it"};
  const pjrt::Client& client = simulator->client();
  const auto sha256 = core::Sha256OfFile(client.plugin().path());
  Json devices = Json::array();
  for (const pjrt::Device& device : client.devices()) devices.push_back({{"id", device.id}, {"kind", core::Printable(device.kind)}});
  const std::string digest = sha256 ? *sha256 : sha256.error().ToString();
  return {"XLA:CPU", true, client.platform_name() + ", PJRT " + client.plugin().api_version().ToString() + ", " + std::to_string(client.devices().size()) + " devices, sha256 " + digest,
          {{"api_version", client.plugin().api_version().ToString()}, {"platform", core::Printable(client.platform_name())}, {"platform_version", core::Printable(client.platform_version())},
           {"devices", devices}, {"device_count", client.device_count()}, {"sha256", digest}}};
}

Item Compiler() {
  const auto toolchain = worker::FindToolchain();
  if (!toolchain) return {"C++ compiler", false, toolchain.error().ToString() + "; without it no C++ model can be traced, modules can still be simulated"};
  return {"C++ compiler", true, toolchain->compiler.string(), {{"path", toolchain->compiler.string()}}};
}

Item Sandbox() {
  sandbox::Command command;
  command.argv = {"/bin/true"};
  command.readable = {"/bin", "/usr", "/lib", "/lib64", "/etc"};
  const auto run = sandbox::Run(command, {});
  if (!run) return {"sandbox", false, run.error().ToString() + "; without it no candidate is compiled or run"};
  if (!run->succeeded()) return {"sandbox", false, "a harmless program " + sandbox::Describe(*run, {}) + " in it; without it no candidate is compiled or run"};
  std::string layers;
  for (const std::string& layer : run->layers) layers += (layers.empty() ? "" : ", ") + layer;
  return {"sandbox", true, layers, {{"layers", run->layers}}};
}

Item Libtpu() {
  std::string text;
  Json versions = Json::array();
  std::error_code error;
  std::set<std::string> folders;
  for (fs::directory_iterator entry(fs::path(KA_DEPS_DIR) / "libtpu", error), end; !error && entry != end; entry.increment(error)) folders.insert(entry->path().filename().string());
  for (const std::string& folder : folders) {
    const auto libtpu = target::FindLibtpu(folder, false);
    if (!libtpu) continue;
    versions.push_back({{"version", libtpu->version}, {"sha256", libtpu->sha256}});
    text += (text.empty() ? "" : "; ") + libtpu->version + ", sha256 " + libtpu->sha256;
  }
  if (versions.empty()) return {"libtpu", false, std::string("not fetched yet; `compile` fetches ") + target::kDefaultLibtpu + " from PyPI when it is first used, nothing else needs it"};
  return {"libtpu", true, text, {{"versions", versions}}};
}

// Only what the system shows: libtpu itself is never loaded to find out.
Item Tpu() {
  std::string found;
  for (const char* path : {"/dev/accel0", "/dev/vfio/0"}) {
    std::error_code error;
    if (fs::exists(path, error)) found += (found.empty() ? "" : ", ") + std::string(path);
  }
  if (found.empty()) return {"TPU", false, "no device file of one (/dev/accel0, /dev/vfio/0); `target` refuses with status 2, everything else works"};
  return {"TPU", true, found + " is there, which may be one"};
}

std::string Text(const std::vector<Item>& items) {
  std::string text = "kernel-audit doctor\n";
  for (const Item& item : items) text += "  " + std::string(item.there ? "has   " : "LACKS ") + item.name + std::string(14 - std::min<std::size_t>(13, item.name.size()), ' ') + item.text + "\n";
  return text;
}

std::string DoctorJson(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) {
    Json json = item.details;
    json.update({{"name", item.name}, {"there", item.there}, {"text", core::Printable(item.text)}});
    list.push_back(json);
  }
  return core::CanonicalJson({{"items", list}}) + "\n";
}

}  // namespace

void AddDoctor(CLI::App& app, int& status) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("doctor", "Say what this machine has for each subcommand, and what each lack means");
  command->add_flag("--json", *json, "One JSON document instead of text");
  command->footer("Ends with status 0 when models can be traced and simulated, else with 1; a TPU and libtpu may be absent.");
  command->callback([json, &status] {
    const std::vector<Item> items = {System(), SimulatedTier(), Compiler(), Sandbox(), Libtpu(), Tpu()};
    std::printf("%s", (*json ? DoctorJson(items) : Text(items)).c_str());
    status = items[1].there && items[2].there && items[3].there ? kPassed : kFound;
  });
}

}  // namespace kernel_audit::cli
