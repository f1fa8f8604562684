#include "kernel_audit/evidence/derived.h"

#include "kernel_audit/core/file.h"
#include "kernel_audit/core/npy.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/evidence/figures.h"

namespace kernel_audit::evidence {
namespace {

using core::ErrorCode;
using core::Json;

std::string Problem(const Bundle& bundle, Role role, const Json& document) {
  switch (role) {
    case Role::kEstimate: return EstimateProblem(document);
    case Role::kCompiled: return CompiledProblem(bundle, document);
    case Role::kExecuted: return ExecutedProblem(bundle, document);
    case Role::kSimulated: {
      const std::string subject = document.at("subject").get<std::string>();
      if (subject == "check") return CheckProblem(bundle, document);
      if (subject == "run") return RunProblem(bundle, document);
      return "is about " + subject + ", which this version knows nothing of";
    }
    default: return "";
  }
}

// A module's file is named after its bytes.
std::string ModuleProblem(const std::string& path, const std::string& bytes) {
  const std::string wanted = "modules/" + core::Sha256(bytes) + ".mlir";
  return path == wanted ? "" : "is named after other bytes: it would be " + wanted;
}

}  // namespace

std::string Differs(const std::string& key, const Json& said, const Json& follows) {
  if (said == follows) return "";
  return "says " + key + " is " + said.dump() + ", and " + follows.dump() + " follows from the rest";
}

bool HasModule(const Bundle& bundle, const std::string& sha256) { return bundle.files().contains("modules/" + sha256 + ".mlir"); }

std::string ArrayProblem(const Bundle& bundle, const std::string& path, const std::string& sha256) {
  const auto file = bundle.files().find(path);
  if (file == bundle.files().end() || file->second.role != Role::kArray) return "names the array " + path + ", which is not in the bundle";
  const auto array = core::ParseNpy(core::AsBytes(file->second.bytes));
  if (!array) return path + ": " + array.error().message;
  if (core::Sha256(std::span(array->data(), array->byte_size())) != sha256) return "names " + path + " with elements that it does not hold";
  return "";
}

std::int64_t Product(const core::Shape& shape) { return core::CheckedNumElements(shape); }

core::Result<void> VerifyFigures(const Bundle& bundle) {
  for (const auto& [path, file] : bundle.files()) {
    std::string problem;
    try {
      if (file.role == Role::kModule) problem = ModuleProblem(path, file.bytes);
      for (const Tier tier : kTiers) {
        if (file.role != Bundle::RoleOf(tier)) continue;
        const auto document = ReadDocument(tier, file.bytes);
        problem = document ? Problem(bundle, file.role, *document) : document.error().message;
      }
    } catch (const Json::exception&) {
      problem = "has not the form of its schema";
    }
    if (!problem.empty()) return core::Fail(ErrorCode::kFailed, path + " " + problem);
  }
  return {};
}

}  // namespace kernel_audit::evidence
