// The documents of `check` and `simulate`, and of estimates.
#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "kernel_audit/core/file.h"
#include "kernel_audit/core/npy.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/evidence/figures.h"

namespace kernel_audit::evidence {
namespace {

using core::Json;
using core::Shape;

bool AllPassed(const Json& list) {
  return !list.empty() && std::all_of(list.begin(), list.end(), [](const Json& each) { return each.at("passed").get<bool>(); });
}

Shape RoundedUp(const Shape& extents, const Shape& block) {
  Shape padded;
  for (std::size_t d = 0; d < extents.size() && d < block.size(); ++d) {
    if (extents[d] < 1 || block[d] < 1 || extents[d] > (std::int64_t{1} << 40) || block[d] > (std::int64_t{1} << 40)) return {};
    padded.push_back((extents[d] + block[d] - 1) / block[d] * block[d]);
  }
  return padded;
}

// An element as a number: float32, or bfloat16 kept as uint16.
float Element(const core::HostArray& array, std::size_t i) {
  if (array.dtype() == core::DType::kFloat32) return array.elements<float>()[i];
  return std::bit_cast<float>(static_cast<std::uint32_t>(array.elements<std::uint16_t>()[i]) << 16);
}

std::int64_t DifferingElements(const core::HostArray& expected, const core::HostArray& result, bool signed_zeros) {
  std::int64_t count = 0;
  const auto elements = static_cast<std::size_t>(core::NumElements(expected.shape()));
  for (std::size_t i = 0; i < elements; ++i) {
    const float a = Element(expected, i), b = Element(result, i);
    const bool same = std::isnan(a) ? std::isnan(b) : a == b && (!signed_zeros || std::signbit(a) == std::signbit(b));
    count += same ? 0 : 1;
  }
  return count;
}

// The last row and column of the result that was kept, in exact numbers.
std::string EdgesProblem(const core::HostArray& result, const Json& edges) {
  if (result.shape().size() != 2 || core::NumElements(result.shape()) < 1) return "keeps a result that is no matrix";
  const auto rows = static_cast<std::size_t>(result.shape()[0]), columns = static_cast<std::size_t>(result.shape()[1]);
  Json row = Json::array(), column = Json::array();
  for (std::size_t c = 0; c < columns; ++c) row.push_back(core::HexFloat(Element(result, (rows - 1) * columns + c)));
  for (std::size_t r = 0; r < rows; ++r) column.push_back(core::HexFloat(Element(result, r * columns + columns - 1)));
  if (edges.at("last_row") != row || edges.at("last_column") != column) return "has a last row or column that is not the kept result's";
  return "";
}

std::string KeptValuesProblem(const Bundle& bundle, const Json& values) {
  const Json& arrays = values.at("arrays");
  const auto inputs = arrays.at("inputs").get<std::vector<std::string>>(), hashes = values.at("input_sha256").get<std::vector<std::string>>();
  if (inputs.size() != hashes.size()) return "keeps another number of inputs than it has hashes";
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (std::string problem = ArrayProblem(bundle, inputs[i], hashes[i]); !problem.empty()) return problem;
  }
  std::vector<core::HostArray> pair;
  for (const char* key : {"expected", "result"}) {
    const std::string path = arrays.at(key).get<std::string>();
    if (std::string problem = ArrayProblem(bundle, path, values.at(std::string(key) + "_sha256").get<std::string>()); !problem.empty()) return problem;
    pair.push_back(std::move(*core::ParseNpy(core::AsBytes(bundle.files().at(path).bytes))));
  }
  const bool comparable = pair[0].type() == pair[1].type() && (pair[0].dtype() == core::DType::kFloat32 || pair[0].dtype() == core::DType::kUInt16);
  if (!comparable) return "keeps a result and an oracle's array that are not alike";
  const std::int64_t differing = DifferingElements(pair[0], pair[1], values.at("zeros") == "signed");
  if (std::string problem = Differs("differing_elements", values.at("differing_elements"), differing); !problem.empty()) return problem;
  return EdgesProblem(pair[1], values.at("edges"));
}

// A check that passed has a run without findings and values as the oracle's.
bool IsClean(const Json& record) {
  return record.at("findings").empty() && record.contains("values") && record.at("values").at("differing_elements") == 0;
}

class StageVerifier {
 public:
  StageVerifier(const Bundle& bundle, const Json& stage, std::set<std::string>& modules) : bundle_(bundle), stage_(stage), modules_(modules) {}

  std::string Problem() const {
    const std::string where = "stage " + stage_.at("stage").dump() + " ";
    if (std::string problem = Differs("passed", stage_.at("passed"), AllPassed(stage_.at("checks"))); !problem.empty()) return where + problem;
    for (const Json& record : stage_.at("cases")) {
      if (std::string problem = CaseProblem(record); !problem.empty()) return "case \"" + record.at("name").get<std::string>() + "\" " + problem;
    }
    return "";
  }

 private:
  std::string CaseProblem(const Json& record) const {
    const std::string sha256 = record.at("module_sha256").get<std::string>();
    modules_.insert(sha256);
    if (!HasModule(bundle_, sha256)) return "names a module that is not in the bundle: " + sha256;
    const auto logical = record.at("logical").get<Shape>(), block = record.at("block").get<Shape>(), padded = RoundedUp(logical, block);
    if (std::string problem = Differs("padded", record.at("padded"), padded); !problem.empty()) return problem;
    if (std::string problem = Differs("padding_elements", record.at("padding_elements"), Product(padded) - Product(logical)); !problem.empty()) return problem;
    const Json& kernel = record.at("kernel");
    if (kernel.at("ran") == true && record.contains("values")) {
      if (std::string problem = Differs("programs", kernel.at("programs"), Product(kernel.at("grid").get<Shape>())); !problem.empty()) return problem;
    }
    if (std::string problem = ValuesProblem(record, Product(logical)); !problem.empty()) return problem;
    return PassedProblem(record);
  }

  std::string ValuesProblem(const Json& record, std::int64_t elements) const {
    if (!record.contains("values")) return "";
    const Json& values = record.at("values");
    if (std::string problem = Differs("elements", values.at("elements"), elements); !problem.empty()) return problem;
    return values.contains("arrays") ? KeptValuesProblem(bundle_, values) : "";
  }

  std::string PassedProblem(const Json& record) const {
    for (const Json& check : stage_.at("checks")) {
      if (check.at("name") == record.at("name") && check.at("passed") == true && !IsClean(record)) return "has findings or wrong values, and its check passed";
    }
    return "";
  }

  const Bundle& bundle_;
  const Json& stage_;
  std::set<std::string>& modules_;
};

std::string CandidateProblem(const Bundle& bundle, const Json& document) {
  const std::string said = document.at("candidate_sha256").get<std::string>();
  for (const auto& [path, file] : bundle.files()) {
    if (file.role == Role::kCandidate && core::Sha256(file.bytes) == said) return "";
  }
  return "is about a candidate that is not in the bundle";
}

}  // namespace

std::string CheckProblem(const Bundle& bundle, const Json& document) {
  if (std::string problem = CandidateProblem(bundle, document); !problem.empty()) return problem;
  std::set<std::string> modules;
  for (const Json& stage : document.at("stages")) {
    if (std::string problem = StageVerifier(bundle, stage, modules).Problem(); !problem.empty()) return problem;
  }
  const auto listed = document.at("module_sha256").get<std::set<std::string>>();
  if (listed != modules) return "lists other modules than its cases have";
  for (const auto& [path, file] : bundle.files()) {
    if (file.role == Role::kModule && !listed.contains(core::Sha256(file.bytes))) return "says nothing of " + path;
  }
  return Differs("passed", document.at("passed"), AllPassed(document.at("stages")));
}

std::string RunProblem(const Bundle& bundle, const Json& document) {
  const std::string module = document.at("module_sha256").get<std::string>();
  if (!HasModule(bundle, module)) return "is about a module that is not in the bundle: " + module;
  if (std::string problem = Differs("verdict", document.at("verdict"), document.at("findings").empty() ? "clean" : "findings"); !problem.empty()) return problem;
  for (const auto& [key, name] : {std::pair("input_sha256", "in"), std::pair("output_sha256", "out")}) {
    const auto hashes = document.at(key).get<std::vector<std::string>>();
    for (std::size_t i = 0; i < hashes.size(); ++i) {
      if (std::string problem = ArrayProblem(bundle, std::string("arrays/") + name + std::to_string(i) + ".npy", hashes[i]); !problem.empty()) return problem;
    }
  }
  for (const Json& kernel : document.at("kernels")) {
    if (kernel.at("ran") != true) continue;
    if (std::string problem = Differs("programs", kernel.at("programs"), Product(kernel.at("grid").get<Shape>())); !problem.empty()) return problem;
  }
  return "";
}

std::string EstimateProblem(const Json& document) {
  for (const Json& buffers : document.at("buffers")) {
    const std::int64_t inputs = buffers.at("input_slots").get<std::int64_t>(), outputs = buffers.at("output_slots").get<std::int64_t>(), bytes = buffers.at("block_bytes").get<std::int64_t>();
    const std::int64_t element = buffers.at("dtype") == "bfloat16" ? 2 : 4, elements = Product(buffers.at("block").get<Shape>());
    const std::int64_t most = std::int64_t{1} << 40;
    if (elements < 0 || elements > most || inputs < 0 || inputs > 1000 || outputs < 0 || outputs > 1000 || bytes < 0 || bytes > most) return "has figures that no buffers have";
    if (std::string problem = Differs("block_bytes", bytes, elements * element); !problem.empty()) return problem;
    if (std::string problem = Differs("bytes", buffers.at("bytes"), (2 * inputs + outputs) * bytes); !problem.empty()) return problem;
  }
  return "";
}

}  // namespace kernel_audit::evidence
