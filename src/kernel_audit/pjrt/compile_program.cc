#include "kernel_audit/pjrt/compile_program.h"

#include "kernel_audit/pjrt/call.h"

namespace kernel_audit::pjrt {

std::optional<OptimizedProgram> ReadOptimized(const ExecutableHandle& executable) {
  PJRT_Program program{};
  program.struct_size = PJRT_Program_STRUCT_SIZE;
  PJRT_Executable_OptimizedProgram_Args args{};
  args.executable = executable.get();
  args.program = &program;
  if (!Call(executable.plugin(), KA_PJRT_ENTRY(PJRT_Executable_OptimizedProgram), args)) return std::nullopt;
  std::string code(program.code_size, '\0');
  program.code = code.data();
  if (!Call(executable.plugin(), KA_PJRT_ENTRY(PJRT_Executable_OptimizedProgram), args)) return std::nullopt;
  return OptimizedProgram{std::move(code), std::string(program.format, program.format_size)};
}

}  // namespace kernel_audit::pjrt
