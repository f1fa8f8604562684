// What a kernel's text says about order, sharing and places.
#include <cstdint>
#include <functional>
#include <sstream>
#include <string>
#include <vector>

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "front_end/module_text.h"
#include "kernel_audit/pallas.h"
#include "kernel_audit/trace/module.h"

namespace front_end_tests {
namespace {

namespace pl = kernel_audit::pallas;
using pl::Ref;
using testing::ElementsAre;
using testing::HasSubstr;

// Lines of the kernel `body`, which has references x, y and z to float32 (16, 128).
std::vector<std::string> Trace(const std::function<void(Ref, Ref, Ref)>& body, pl::DType dtype = pl::f32) {
  const kernel_audit::trace::ArgumentType matrix{dtype, {16, 128}};
  const std::string module = kernel_audit::trace::TraceModule("program", {matrix, matrix}, [&](const std::vector<pl::Array>& a) {
    return std::vector<pl::Array>{pl::pallas_call(body, {.out_shape = a[0].aval()})(a[0], a[1])};
  });
  std::vector<std::string> lines;
  std::stringstream text(Readable(module));
  for (std::string line; std::getline(text, line);) {
    if (line.find("\"stable_mosaic.") != std::string::npos && line.find("func.func") == std::string::npos) lines.push_back(line);
  }
  return lines;
}

// The operations' names in order, without constants and casts of indices.
std::vector<std::string> Names(const std::vector<std::string>& lines) {
  std::vector<std::string> names;
  for (const std::string& line : lines) {
    const std::size_t at = line.find("stable_mosaic.") + 14;
    const std::string name = line.substr(at, line.find('"', at) - at);
    if (name != "arith.constant" && name != "vector.broadcast") names.push_back(name);
  }
  return names;
}

std::string LineOf(const std::vector<std::string>& lines, const std::string& name) {
  for (const std::string& line : lines) {
    if (line.find("stable_mosaic." + name + "\"") != std::string::npos) return line;
  }
  return "";
}

TEST(Emission, ALoadStandsBeforeTheStoreThatFollowsIt) {
  const auto lines = Trace([](Ref x, Ref, Ref z) {
    const pl::Value before = z.load();
    z.store(x.load());
    const pl::Value after = z.load();
    z.store(before - after);
  });
  EXPECT_THAT(Names(lines), ElementsAre("vector.load", "vector.load", "tpu.vector_store", "vector.load", "arith.subf", "tpu.vector_store",
                                        "func.return"));
  EXPECT_THAT(lines[2], HasSubstr("vector.load\"(%2, ")) << "z, before the store that changes it";
}

TEST(Emission, OperandsStandFromLeftToRightHoweverTheyWereMade) {
  const auto right_first = Trace([](Ref x, Ref y, Ref z) {
    const pl::Value right = pl::exp(y.load());
    const pl::Value left = pl::tanh(x.load());
    z.store(left + right);
  });
  EXPECT_THAT(Names(right_first), ElementsAre("vector.load", "vector.load", "math.tanh", "math.exp", "arith.addf", "tpu.vector_store", "func.return"));
}

TEST(Emission, WhatNoEffectNeedsIsDropped) {
  const auto lines = Trace([](Ref x, Ref y, Ref z) {
    pl::exp(y.load());
    z.store(x.load());
  });
  EXPECT_THAT(Names(lines), ElementsAre("vector.load", "tpu.vector_store", "func.return"));
}

TEST(Emission, EqualConstantsOfOneTypeAreOne) {
  const auto lines = Trace([](Ref x, Ref, Ref z) { z.store((x.load() + 2.0f) * 2.0f - 2); });
  int twos = 0;
  for (const std::string& line : lines) twos += line.find("0x40000000") != std::string::npos ? 1 : 0;
  EXPECT_EQ(twos, 1);
}

TEST(Emission, AConstantIsRoundedToBfloat16Once) {
  // Just above the middle of 1 and the next bfloat16; by way of float32 it would be the middle, and 1.
  const auto lines = Trace([](Ref x, Ref, Ref z) { z.store(x.load() + (1 + 0x1p-8 + 0x1p-40)); }, pl::bf16);
  EXPECT_THAT(testing::PrintToString(lines), HasSubstr("0x3F81 : bf16"));
}

TEST(Emission, AnIntegerBecomesBfloat16InOneStep) {
  const auto lines = Trace([](Ref x, Ref, Ref z) { z.store(x.load().astype(pl::bf16).astype(pl::i32)); }, pl::i32);
  EXPECT_THAT(Names(lines), ElementsAre("vector.load", "arith.sitofp", "arith.fptosi", "tpu.vector_store", "func.return"));
}

// What the TPU compiler does not know never reaches it.
TEST(Emission, FloatsAndBooleansAreComparedWithWhatTheTpuHas) {
  const auto unequal = Trace([](Ref x, Ref y, Ref z) { z.store((x.load() != y.load()).astype(pl::f32)); });
  EXPECT_THAT(LineOf(unequal, "arith.cmpf"), HasSubstr("predicate = 1 "));
  EXPECT_THAT(Names(unequal), ElementsAre("vector.load", "vector.load", "arith.cmpf", "arith.xori", "arith.extui", "arith.sitofp",
                                          "tpu.vector_store", "func.return"));
  const auto chosen = Trace([](Ref x, Ref y, Ref z) {
    const pl::Value a = x.load() > 0, b = y.load() > 0;
    z.store(pl::where(pl::where(a, a == b, b), x.load(), y.load()));
  });
  EXPECT_EQ(LineOf(chosen, "arith.cmpi"), "");
  EXPECT_THAT(LineOf(chosen, "arith.select"), HasSubstr("vector<16x128xf32>) -> vector<16x128xf32>"));
}

TEST(Emission, ARootOfBfloat16GoesThroughFloat32) {
  const auto lines = Trace([](Ref x, Ref, Ref z) { z.store(pl::rsqrt(x.load())); }, pl::bf16);
  EXPECT_THAT(Names(lines), ElementsAre("vector.load", "arith.extf", "math.rsqrt", "arith.truncf", "tpu.vector_store", "func.return"));
}

TEST(Emission, AnOperationKnowsItsLine) {
  const int line = __LINE__ + 2;
  const auto lines = Trace([](Ref x, Ref y, Ref z) {
    const pl::Value sum = x.load() + y.load();
    z.store(pl::exp(sum) *
            2.0f);
  });
  EXPECT_THAT(LineOf(lines, "arith.addf"), HasSubstr("emission_test.cc\":" + std::to_string(line) + ":0)"));
  for (const char* name : {"math.exp", "arith.mulf", "tpu.vector_store"}) {
    EXPECT_THAT(LineOf(lines, name), HasSubstr("emission_test.cc\":" + std::to_string(line + 1) + ":0)"));
  }
}

TEST(Emission, AnUnrolledLoopOfManyStepsIsNoRecursion) {
  const auto lines = Trace([](Ref x, Ref, Ref z) {
    pl::Value v = x.load();
    for (int i = 0; i < 100000; ++i) v = v + v;
    z.store(v);
  });
  EXPECT_GT(lines.size(), 100000u);
}

}  // namespace
}  // namespace front_end_tests
