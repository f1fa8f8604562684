// What every compilation hands over, and the program that it gives back.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "kernel_audit/pjrt/handle.h"
#include "pjrt_c_api.h"

namespace kernel_audit::pjrt {

// A CompileOptionsProto: field 3 (build options) = {device_ordinal (1) = -1, num_replicas (4) = 1, num_partitions (5) = 1}.
inline constexpr std::string_view kOneDevice("\x1a\x0f\x08\xff\xff\xff\xff\xff\xff\xff\xff\xff\x01\x20\x01\x28\x01", 17);

// The text or bytecode must outlive the result.
inline PJRT_Program MlirProgram(std::string_view stablehlo) {
  constexpr std::string_view kMlir = "mlir";
  PJRT_Program program{};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  program.code = const_cast<char*>(stablehlo.data());  // the same struct serves calls that write there; compilations read
  program.code_size = stablehlo.size();
  program.format = kMlir.data();
  program.format_size = kMlir.size();
  return program;
}

// The plugin's own form of a compiled program; nothing where it keeps it to itself.
struct OptimizedProgram {
  std::string code, format;
};
std::optional<OptimizedProgram> ReadOptimized(const ExecutableHandle& executable);

}  // namespace kernel_audit::pjrt
