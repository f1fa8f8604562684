// Helpers of this folder's tests: files, and modules put together by hand.
#pragma once

#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include "kernel_audit/core/base64.h"
#include "kernel_audit/ir/kernel.h"

namespace kernel_audit::import::testing {

inline std::filesystem::path DataDir() { return std::filesystem::path(KA_SOURCE_DIR) / "tests" / "data"; }

inline std::string ReadFile(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

inline std::vector<std::filesystem::path> GoldenModules() {
  std::vector<std::filesystem::path> modules;
  for (const char* folder : {"data", "races"}) {
    for (const auto& entry : std::filesystem::directory_iterator(DataDir() / "golden" / folder)) {
      if (entry.path().extension() == ".mlir") modules.push_back(entry.path());
    }
  }
  return modules;
}

inline std::string Replace(std::string text, const std::string& from, const std::string& to) {
  const std::size_t at = text.find(from);
  return at == std::string::npos ? text + "<nothing replaced>" : text.replace(at, from.size(), to);
}

// A module whose only kernel has `body` and the operand and result types `types`.
inline std::string ModuleWith(const std::string& body, const std::string& arguments, const std::string& types, const std::string& result) {
  return "module {\n  func.func @main(" + arguments + ") -> " + result +
         " {\n    %r = stablehlo.custom_call @tpu_custom_call(%a) {backend_config = \"{\\22custom_call_config\\22: {\\22body\\22: \\22" +
         core::Base64(body) + "\\22}}\", kernel_name = \"k\"} : " + types + "\n    return %r : " + result + "\n  }\n}\n";
}

// A kernel of one input x and one output z, both 8x128 float32 in VMEM and without a grid, whose main holds `ops`.
inline std::string BodyWith(const std::string& ops) {
  const std::string ref = "memref<8x128xf32, #tpu.memory_space<vmem>>";
  return "\"builtin.module\"() ({\n  \"func.func\"() ({\n  ^bb0(%x: " + ref + ", %z: " + ref + "):\n" + ops +
         "    \"func.return\"() : () -> ()\n  }) {function_type = (" + ref + ", " + ref + ") -> (), sym_name = \"main\"} : () -> ()\n" +
         "}) {stable_mosaic.version = 10 : i64} : () -> ()\n";
}

inline std::string ModuleWithOps(const std::string& ops) {
  return ModuleWith(BodyWith(ops), "%a: tensor<8x128xf32>", "(tensor<8x128xf32>) -> tensor<8x128xf32>", "tensor<8x128xf32>");
}

// The operations of a region and of all regions inside it.
inline int CountOps(const ir::Region& region, ir::OpCode code) {
  int count = 0;
  for (const ir::Op* op : region.ops) {
    count += op->code == code ? 1 : 0;
    for (const ir::Region* inner : op->regions) count += CountOps(*inner, code);
  }
  return count;
}

}  // namespace kernel_audit::import::testing
