// Kernels that the front end refuses to write: Mosaic as text, written by hand.
#pragma once

#include <string>
#include <vector>

#include "kernel_audit/core/base64.h"

namespace kernel_audit::testing {

// A module of one kernel without a grid, from one float32 array to another of (8, 128). `in` and `out` are the kernel's memrefs of them, `array` is the
// input's shape ("64x128"), and `operations` work on %x and %z with an index %c0 of 0.
inline std::string HandWrittenModule(const std::string& array, const std::string& in, const std::string& out, const std::string& operations) {
  const std::string body = "\"builtin.module\"() ({\n  \"stable_mosaic.func.func\"() ({\n  ^bb0(%x: " + in + ", %z: " + out +
                           "):\n    %c0 = \"stable_mosaic.arith.constant\"() {value = 0 : index} : () -> index\n" + operations +
                           "    \"stable_mosaic.func.return\"() : () -> ()\n  }) {dimension_semantics = [], function_type = (" + in + ", " + out +
                           ") -> (), scalar_prefetch = 0 : i64, scratch_operands = 0 : i64, sym_name = \"main\"} : () -> ()\n"
                           "}) {stable_mosaic.version = 10 : i64} : () -> ()\n";
  const std::string from = "tensor<" + array + "xf32>", to = "tensor<8x128xf32>";
  return "module @m {\n  func.func public @main(%a: " + from + ") -> " + to +
         " {\n    %r = stablehlo.custom_call @tpu_custom_call(%a) {backend_config = \"{\\22custom_call_config\\22: {\\22body\\22: \\22" + core::Base64(body) +
         "\\22, \\22serialization_format\\22: 1, \\22needs_layout_passes\\22: true}}\", kernel_name = \"by_hand\"} : (" + from + ") -> " + to + "\n    return %r : " + to +
         "\n  }\n}\n";
}

}  // namespace kernel_audit::testing
