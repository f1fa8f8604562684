// A small bundle of a simulated run, for tests.
#pragma once

#include <filesystem>
#include <string>

#include "kernel_audit/core/sha256.h"
#include "kernel_audit/evidence/bundle.h"

namespace kernel_audit::evidence {

inline constexpr const char* kTestModule = "module {}\n";

// A .npy file of two float32.
inline std::string TestArray(float a, float b) {
  std::string header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  header.resize(128 - 10 - 1, ' ');
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(118);
  bytes += '\0';
  bytes += header + "\n";
  for (const float value : {a, b}) bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
  return bytes;
}

inline core::Json TestRun(float scale) {
  const float in[] = {1, 2}, out[] = {scale, 2 * scale};
  const std::string module = core::Sha256(std::string_view(kTestModule));
  return {{"tier", "simulated"}, {"schema", SchemaName(Tier::kSimulated)}, {"subject", "run"}, {"verdict", "clean"}, {"findings", core::Json::array()}, {"module_sha256", module},
          {"input_sha256", {core::Sha256(std::as_bytes(std::span(in)))}}, {"output_sha256", {core::Sha256(std::as_bytes(std::span(out)))}},
          {"kernels", {{{"ran", true}, {"grid", {2, 3}}, {"programs", 6}}}}};
}

// The document's claim, as it would be read back.
inline SimulatedClaim TestClaim(const core::Json& document) { return *ReadClaim<Tier::kSimulated>(core::CanonicalJson(document) + "\n"); }

inline Bundle TestBundle(const core::Json& document, float scale = 3) {
  Bundle bundle("1.2", {"kernel-audit", "simulate", "m.mlir"});
  bundle.Add("run", TestClaim(document));
  bundle.Add(Role::kModule, "modules/" + core::Sha256(std::string_view(kTestModule)) + ".mlir", kTestModule);
  bundle.Add(Role::kArray, "arrays/in0.npy", TestArray(1, 2));
  bundle.Add(Role::kArray, "arrays/out0.npy", TestArray(scale, 2 * scale));
  bundle.Add(Role::kEnvironment, "environment.json", "{}\n");
  return bundle;
}
inline Bundle TestBundle(float scale = 3) { return TestBundle(TestRun(scale), scale); }

}  // namespace kernel_audit::evidence
