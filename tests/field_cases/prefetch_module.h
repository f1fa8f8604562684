// Modules with scalar prefetch, which the front end can't write yet: Mosaic as text, written by hand.
#pragma once

#include <string>

#include "kernel_audit/core/base64.h"

namespace kernel_audit::testing {

// Joins a Mosaic body with its call: `table` ("6", "8x128") int32 values in SMEM first, then float32 `in` -> `out`, both (rows, 128).
inline std::string PrefetchModule(const std::string& body, const std::string& table, int rows_in, int rows_out) {
  const std::string t = "tensor<" + table + "xi32>", in = "tensor<" + std::to_string(rows_in) + "x128xf32>",
                    out = "tensor<" + std::to_string(rows_out) + "x128xf32>";
  return "module @m {\n  func.func public @main(%s: " + t + ", %a: " + in + ") -> " + out +
         " {\n    %r = stablehlo.custom_call @tpu_custom_call(%s, %a) {backend_config = \"{\\22custom_call_config\\22: {\\22body\\22: \\22" +
         core::Base64(body) + "\\22, \\22needs_layout_passes\\22: true}}\", kernel_name = \"prefetch\"} : (" + t + ", " + in + ") -> " + out + "\n    return %r : " + out + "\n  }\n}\n";
}

// A Mosaic module: blocks of (8, 128), `grid` programs, `buffers_attribute` in the input's window; `ops` the body (%s the table, %x, %z;
// %c0 is an index 0), `map` the input's index map (%i, %s; it ends in a return), the output's is i -> (i, 0).
inline std::string PrefetchBody(const std::string& table, int grid, const std::string& ops, const std::string& map, const std::string& buffers_attribute = "") {
  const std::string smem = "memref<" + table + "xi32, #tpu.memory_space<smem>>", vmem = "memref<8x128xf32, #tpu.memory_space<vmem>>";
  return "\"builtin.module\"() ({\n  \"func.func\"() ({\n  ^bb0(%i: i32, %s: " + smem + ", %x: " + vmem + ", %z: " + vmem +
         "):\n    %c0 = \"arith.constant\"() {value = 0 : index} : () -> index\n" + ops +
         "    %v = \"vector.load\"(%x, %c0, %c0) : (" + vmem + ", index, index) -> vector<8x128xf32>\n" +
         "    \"tpu.vector_store\"(%v, %z, %c0, %c0) {add = false, operandSegmentSizes = array<i32: 1, 1, 2, 0>, strides = array<i32>} : "
         "(vector<8x128xf32>, " + vmem + ", index, index) -> ()\n"
         "    \"func.return\"() : () -> ()\n"
         "  }) {dimension_semantics = [#tpu.dimension_semantics<arbitrary>], function_type = (i32, " + smem + ", " + vmem + ", " + vmem +
         ") -> (), iteration_bounds = array<i64: " + std::to_string(grid) +
         ">, scalar_prefetch = 1 : i64, scratch_operands = 0 : i64, sym_name = \"main\", window_params = [{" + buffers_attribute +
         "transform_indices = @in, window_bounds = array<i64: 8, 128>}, {transform_indices = @out, window_bounds = array<i64: 8, 128>}]} : () -> ()\n"
         "  \"func.func\"() ({\n  ^bb0(%i: i32, %s: " + smem + "):\n" + map + "  }) {function_type = (i32, " + smem +
         ") -> (i32, i32), sym_name = \"in\"} : () -> ()\n"
         "  \"func.func\"() ({\n  ^bb0(%i: i32, %s: " + smem + "):\n    %z = \"arith.constant\"() {value = 0 : i32} : () -> i32\n"
         "    \"func.return\"(%i, %z) : (i32, i32) -> ()\n  }) {function_type = (i32, " + smem + ") -> (i32, i32), sym_name = \"out\"} : () -> ()\n"
         "}) {stable_mosaic.version = 10 : i64} : () -> ()\n";
}

// A (32, 128) copy in 4 programs; program i reads block min(i, (length + 7) / 8 - 1), the length being prefetched.
inline std::string ClampedPrefetchModule() {
  const std::string map =
      "    %c0 = \"arith.constant\"() {value = 0 : index} : () -> index\n"
      "    %n = \"memref.load\"(%s, %c0) : (memref<1xi32, #tpu.memory_space<smem>>, index) -> i32\n"
      "    %seven = \"arith.constant\"() {value = 7 : i32} : () -> i32\n"
      "    %eight = \"arith.constant\"() {value = 8 : i32} : () -> i32\n"
      "    %one = \"arith.constant\"() {value = 1 : i32} : () -> i32\n"
      "    %zero = \"arith.constant\"() {value = 0 : i32} : () -> i32\n"
      "    %a = \"arith.addi\"(%n, %seven) : (i32, i32) -> i32\n"
      "    %b = \"arith.divsi\"(%a, %eight) : (i32, i32) -> i32\n"
      "    %last = \"arith.subi\"(%b, %one) : (i32, i32) -> i32\n"
      "    %k = \"arith.minsi\"(%i, %last) : (i32, i32) -> i32\n"
      "    \"func.return\"(%k, %zero) : (i32, i32) -> ()\n";
  return PrefetchModule(PrefetchBody("1", 4, "", map), "1", 32, 32);
}

// A copy in 6 programs that follows a table of 6 block numbers; the body first sets table[1..5] to 3.
inline std::string MutatedPrefetchModule(bool mutate, const std::string& buffers_attribute = "") {
  const std::string type = "memref<6xi32, #tpu.memory_space<smem>>";
  std::string ops;
  if (mutate) {
    ops = "    %three = \"arith.constant\"() {value = 3 : i32} : () -> i32\n";
    for (int k = 1; k < 6; ++k) {
      const std::string c = "%k" + std::to_string(k);
      ops += "    " + c + " = \"arith.constant\"() {value = " + std::to_string(k) + " : index} : () -> index\n";
      ops += "    \"memref.store\"(%three, %s, " + c + ") : (i32, " + type + ", index) -> ()\n";
    }
  }
  const std::string map =
      "    %zero = \"arith.constant\"() {value = 0 : i32} : () -> i32\n"
      "    %k = \"arith.index_cast\"(%i) : (i32) -> index\n"
      "    %b = \"memref.load\"(%s, %k) : (" + type + ", index) -> i32\n"
      "    \"func.return\"(%b, %zero) : (i32, i32) -> ()\n";
  return PrefetchModule(PrefetchBody("6", 6, ops, map, buffers_attribute), "6", 48, 48);
}

}  // namespace kernel_audit::testing
