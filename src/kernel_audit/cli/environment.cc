#include "kernel_audit/cli/environment.h"

#include <sys/utsname.h>

#include <fstream>
#include <sstream>
#include <thread>

#include "kernel_audit/core/printable.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/sandbox/sandbox.h"
#include "kernel_audit/simulated/simulator.h"

namespace kernel_audit::cli {
namespace {

using core::Json;

// As the kernel names it; "unknown" on a machine that has no such line.
std::string ProcessorName() {
  std::ifstream lines("/proc/cpuinfo");
  for (std::string line; std::getline(lines, line);) {
    if (const std::size_t colon = line.find(": "); line.starts_with("model name") && colon != std::string::npos) return core::Printable(line.substr(colon + 2), 200);
  }
  return "unknown";
}

std::string KernelName() {
  utsname names{};
  return uname(&names) == 0 ? core::Printable(std::string(names.sysname) + " " + names.release + " " + names.machine, 200) : "unknown";
}

Json CompilerJson() {
  const auto toolchain = worker::FindToolchain();
  if (!toolchain) return {{"version", "none"}};
  return {{"version", VersionOf(*toolchain)}};
}

}  // namespace

std::vector<std::string> CommandWords() {
  std::ifstream file("/proc/self/cmdline");
  std::vector<std::string> words;
  for (std::string word; std::getline(file, word, '\0');) words.push_back(core::Printable(word));
  if (!words.empty()) words[0] = "kernel-audit";
  return words;
}

std::string VersionOf(const worker::Toolchain& toolchain) {
  sandbox::Command command{.argv = {toolchain.compiler.string(), "--version"}, .environment = {"PATH=/usr/bin:/bin", "LC_ALL=C"}, .working_directory = {},
                           .readable = toolchain.readable, .writable = {}};
  const auto outcome = sandbox::Run(command, {});
  if (!outcome || !outcome->succeeded()) return "its version is not known";
  return core::Printable(outcome->out.text.substr(0, outcome->out.text.find('\n')));
}

core::Result<Json> PluginJson(const pjrt::Client& client) {
  const auto sha256 = core::Sha256OfFile(client.plugin().path());
  if (!sha256) return tl::unexpected(sha256.error());
  return Json{{"sha256", *sha256}, {"pjrt_api", client.plugin().api_version().ToString()}, {"platform", client.platform_name()},
              {"platform_version", client.platform_version()}, {"device_count", client.device_count()}};
}

core::Result<evidence::Bundle> NewBundle() {
  const auto simulator = simulated::Simulator::Create();
  if (!simulator) return tl::unexpected(simulator.error());
  const auto plugin = PluginJson(simulator->client());
  if (!plugin) return tl::unexpected(plugin.error());
  const Json environment = {{"schema", "kernel-audit/environment/1"}, {"kernel_audit", KA_VERSION}, {"compiler", CompilerJson()}, {"xla_cpu", *plugin}, {"processor", ProcessorName()},
                            {"processors", std::thread::hardware_concurrency()}, {"operating_system", KernelName()}, {"landlock_abi", sandbox::ProbeFeatures().landlock_abi}};
  evidence::Bundle bundle(KA_VERSION, CommandWords());
  bundle.Add(evidence::Role::kEnvironment, "environment.json", core::CanonicalJson(environment) + "\n");
  return bundle;
}

}  // namespace kernel_audit::cli
