// kernel-audit doctor: what this machine has, and what each lack means.
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cstdio>
#include <memory>

#include <fmt/format.h>

#include "kernel_audit/cli/answer.h"
#include "kernel_audit/cli/environment.h"
#include "kernel_audit/cli/output.h"
#include "kernel_audit/core/json.h"
#include "kernel_audit/core/printable.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/sandbox/sandbox.h"
#include "kernel_audit/simulated/simulator.h"
#include "kernel_audit/target/libtpu.h"
#include "kernel_audit/target/machine.h"
#include "kernel_audit/worker/toolchain.h"

namespace kernel_audit::cli {
namespace {

namespace fs = std::filesystem;
using core::Json;

struct Item {
  std::string name;
  bool present = false;
  bool needed = false;  // by `check`
  std::string summary;  // a line
  std::string meaning;  // of its lack
  Json detail = Json::object();
};

Json DevicesJson(const pjrt::Client& client) {
  Json devices = Json::array();
  for (const pjrt::Device& device : client.devices()) devices.push_back({{"id", device.id}, {"kind", device.kind}});
  return devices;
}

// In a child, for a plugin that ends the process must not end the answer.
core::Result<std::string> AskXlaCpu() {
  const auto simulator = simulated::Simulator::Create();
  if (!simulator) return tl::unexpected(simulator.error());
  const pjrt::Client& client = simulator->client();
  auto plugin = PluginJson(client);
  if (!plugin) return tl::unexpected(plugin.error());
  plugin->update({{"path", client.plugin().path()}, {"devices", DevicesJson(client)}});
  return core::CanonicalJson(*plugin);
}

Item XlaCpu() {
  Item item{"XLA:CPU plugin", false, true, "", "no module can be simulated: run scripts/setup"};
  const auto answer = AnswerOfChild("the XLA:CPU plugin", std::chrono::seconds(60), AskXlaCpu);
  const auto detail = answer ? core::ParseJson(*answer) : core::Result<Json>(tl::unexpected(answer.error()));
  if (!detail) {
    item.summary = detail.error().message;
    return item;
  }
  item.present = true;
  item.detail = *detail;
  item.summary = fmt::format("PJRT API {}, platform {}, {} devices, sha256 {}", (*detail)["pjrt_api"].get<std::string>(), (*detail)["platform"].get<std::string>(),
                             (*detail)["device_count"].get<std::int64_t>(), (*detail)["sha256"].get<std::string>());
  return item;
}

// The versions that were fetched, each in its folder, and the file that TPU_LIBRARY_PATH names.
std::vector<fs::path> LibtpuFiles() {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(target::LibtpuFolder(), error), end; !error && entry != end; entry.increment(error)) {
    if (fs::is_regular_file(entry->path() / "libtpu.so", error)) files.push_back(entry->path() / "libtpu.so");
  }
  std::sort(files.begin(), files.end());
  const fs::path installed = target::InstalledLibtpu();
  if (!installed.empty() && std::find(files.begin(), files.end(), installed) == files.end()) files.push_back(installed);
  return files;
}

// Read, never loaded: it may end the process.
std::vector<Item> Libtpu() {
  const std::string lack = "kernel-audit compile fetches it from PyPI when it is first used; check and simulate don't need it";
  std::vector<Item> items;
  for (const fs::path& file : LibtpuFiles()) {
    Item item{"libtpu " + file.parent_path().filename().string(), false, false, "", lack};
    ShowProgress("hashing " + file.string());
    const auto sha256 = core::Sha256OfFile(file);
    item.present = sha256.has_value();
    item.summary = sha256 ? "sha256 " + *sha256 + ", not loaded" : sha256.error().message;
    item.detail = {{"path", file.string()}, {"sha256", sha256.value_or("")}};
    items.push_back(std::move(item));
  }
  ClearProgress();
  if (items.empty()) items.push_back({"libtpu", false, false, "not fetched, and TPU_LIBRARY_PATH is not set", lack});
  return items;
}

Item Tpu() {
  const std::vector<std::string> chips = target::TpuChips();
  Item item{"TPU", !chips.empty(), false, "no TPU chip on the PCI bus", "kernel-audit target refuses with status 2; nothing is timed here", {{"chips", chips}}};
  if (item.present) item.summary = fmt::format("{} chips: {}", chips.size(), fmt::join(chips, ", "));
  return item;
}

Item Compiler() {
  Item item{"C++ compiler", false, true, "", "no C++ model can be traced; modules that JAX wrote can still be simulated"};
  const auto toolchain = worker::FindToolchain();
  if (!toolchain) {
    item.summary = toolchain.error().message;
    return item;
  }
  const std::string version = VersionOf(*toolchain);
  item.present = true;
  item.summary = toolchain->compiler.string() + ", " + version;
  item.detail = {{"path", toolchain->compiler.string()}, {"version", version}, {"kit", toolchain->kit.string()}};
  return item;
}

// Guards that confinement does without where a kernel has them not.
std::vector<std::string> MissingNamespaces(const std::vector<std::string>& layers) {
  std::vector<std::string> missing;
  for (const char* name : {"user namespace", "process namespace", "network namespace", "ipc namespace"}) {
    if (std::find(layers.begin(), layers.end(), name) == layers.end()) missing.emplace_back(name);
  }
  return missing;
}

// What held for a program that was really run in it.
Item Sandbox() {
  const sandbox::Features features = sandbox::ProbeFeatures();
  Item item{"sandbox", false, true, "", "no candidate is compiled or run, with status 2: it needs Landlock (Linux 5.13) and seccomp"};
  sandbox::Command command{.argv = {"/bin/true"}, .environment = {}, .working_directory = {}, .readable = {"/bin", "/usr", "/lib", "/lib64", "/etc/ld.so.cache"}, .writable = {}};
  const auto outcome = sandbox::Run(command, {}, features);
  item.present = outcome && outcome->succeeded();
  const std::vector<std::string> layers = outcome ? outcome->layers : std::vector<std::string>(), missing = MissingNamespaces(layers);
  item.detail = {{"landlock_abi", features.landlock_abi}, {"layers", layers}, {"missing", missing}};
  if (!outcome) {
    item.summary = outcome.error().message;
  } else if (!item.present) {
    item.summary = "a program in it " + sandbox::Describe(*outcome, {});
  } else {
    item.summary = fmt::format("{}", fmt::join(layers, ", "));
    if (!missing.empty()) item.summary += fmt::format("; without {}, Landlock and seccomp confine alone", fmt::join(missing, ", "));
  }
  return item;
}

std::vector<Item> Examine() {
  std::vector<Item> items = {XlaCpu(), Compiler(), Sandbox()};
  for (Item& item : Libtpu()) items.push_back(std::move(item));
  items.push_back(Tpu());
  return items;
}

void PrintText(const std::vector<Item>& items) {
  for (const Item& item : items) {
    std::printf("%s  %-15s %s\n", item.present ? "ok  " : item.needed ? "FAIL" : "none", item.name.c_str(), core::Printable(item.summary).c_str());
    if (!item.present) std::printf("      %-15s %s\n", "", item.meaning.c_str());
  }
}

void PrintJson(const std::vector<Item>& items) {
  Json list = Json::array();
  for (const Item& item : items) {
    Json entry = {{"name", item.name}, {"present", item.present}, {"needed", item.needed}, {"summary", item.summary}, {"detail", item.detail}};
    if (!item.present) entry["meaning"] = item.meaning;
    list.push_back(std::move(entry));
  }
  std::printf("%s\n", core::CanonicalJson({{"items", list}}).c_str());
}

}  // namespace

void AddDoctor(CLI::App& app, int& status) {
  auto json = std::make_shared<bool>(false);
  CLI::App* command = app.add_subcommand("doctor", "Say what this machine has, and what each lack means");
  command->add_flag("--json", *json, "One JSON document");
  command->footer("Status 0 when all that `check` needs is there, 1 otherwise. libtpu is hashed, never loaded.");
  command->callback([json, &status] {
    const std::vector<Item> items = Examine();
    *json ? PrintJson(items) : PrintText(items);
    const bool well = std::all_of(items.begin(), items.end(), [](const Item& item) { return item.present || !item.needed; });
    status = well ? kPassed : kFound;
  });
}

}  // namespace kernel_audit::cli
