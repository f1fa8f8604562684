// libtpu_compiler LIBRARY TOPOLOGY MODULE: compiles the module and writes one JSON document to descriptor 3. A process of its own, because the
// library may abort.
#include <unistd.h>

#include <cstdio>

#include "kernel_audit/core/file.h"
#include "kernel_audit/core/json.h"
#include "kernel_audit/pjrt/topology.h"

namespace {

using kernel_audit::core::Json;

constexpr int kResult = 3;
constexpr std::uint64_t kMostModuleBytes = std::uint64_t{1} << 28;

// Bytes of scoped VMEM, one a kernel's call, -1 where there is no figure: what the program's text says behind each call's target.
Json ScopedVmem(const std::string& program) {
  const std::string call = "tpu_custom_call", key = "\"used_scoped_memory_configs\":[{\"memory_space\":\"1\",\"offset\":\"0\",\"size\":\"";
  Json found = Json::array();
  for (std::size_t at = program.find(call); at != std::string::npos;) {
    const std::size_t next = program.find(call, at + call.size()), figure = program.find(key, at);
    const bool told = figure != std::string::npos && figure < next;
    found.push_back(told ? std::strtoll(program.c_str() + figure + key.size(), nullptr, 10) : -1);
    at = next;
  }
  return found;
}

Json Compile(const char* library, const char* topology_name, const char* module_path) {
  using namespace kernel_audit;
  const auto module = core::ReadFile(module_path, kMostModuleBytes);
  if (!module) return {{"failed", module.error().ToString()}};
  const auto plugin = pjrt::Plugin::Load(library);
  if (!plugin) return {{"failed", plugin.error().ToString()}};
  const auto topology = pjrt::Topology::Create(*plugin, topology_name);
  if (!topology) return {{"failed", topology.error().ToString()}};
  Json answer = {{"api_version", plugin->api_version().ToString()}, {"platform_version", topology->platform_version()}, {"devices", topology->device_count()}};
  const auto compiled = topology->Compile(*module);
  answer["accepted"] = compiled.has_value();
  if (!compiled) {
    answer["refusal"] = compiled.error().message;
    return answer;
  }
  answer.update({{"code_bytes", compiled->code_bytes}, {"argument_bytes", compiled->argument_bytes}, {"output_bytes", compiled->output_bytes},
                 {"temporary_bytes", compiled->temporary_bytes}, {"scoped_vmem_bytes", ScopedVmem(compiled->optimized)}});
  return answer;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "usage: libtpu_compiler LIBRARY TOPOLOGY MODULE, with a descriptor 3 to write to\n");
    return 3;
  }
  const std::string text = kernel_audit::core::CanonicalJson(Compile(argv[1], argv[2], argv[3]));
  for (std::size_t at = 0; at < text.size();) {
    const ssize_t written = write(kResult, text.data() + at, text.size() - at);
    if (written <= 0) return 1;
    at += static_cast<std::size_t>(written);
  }
  // The library's destructors are not ours to trust.
  _exit(0);
}
