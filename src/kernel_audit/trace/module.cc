#include "kernel_audit/trace/module.h"

#include "kernel_audit/trace/host_program.h"
#include "kernel_audit/trace/session.h"
#include "kernel_audit/trace/trace_error.h"

namespace kernel_audit::trace {

std::string TraceModule(std::string_view name, const std::vector<ArgumentType>& arguments,
                        const std::function<std::vector<pallas::Array>(const std::vector<pallas::Array>&)>& body) {
  HostProgram program{std::string(name)};
  const HostScope scope(program);
  std::vector<pallas::Array> inputs;
  for (const ArgumentType& argument : arguments) {
    const auto placement = argument.on_tpu ? pallas::Placement::tpu : pallas::Placement::cpu;
    inputs.emplace_back(program.Parameter({argument.dtype, argument.shape}, placement));
  }
  std::vector<HostNode*> results;
  for (const pallas::Array& output : body(inputs)) {
    if (output.node() == nullptr) throw pallas::TraceError("[" + std::string(name) + "] returned an empty array", {});
    results.push_back(output.node());
  }
  if (results.empty()) throw pallas::TraceError("[" + std::string(name) + "] returned no array", {});
  return program.ModuleText(results);
}

}  // namespace kernel_audit::trace
