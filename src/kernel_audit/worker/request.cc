#include "kernel_audit/worker/request.h"

#include <array>
#include <charconv>

#include <fmt/core.h>

namespace kernel_audit::worker {
namespace {

struct KernelRow {
  std::string_view name;
  std::string_view function;
  std::string_view declaration;
};

constexpr std::array<KernelRow, 5> kKernels = {{
    {"axpy", "blocked_axpy", "pl::Array blocked_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Mode mode)"},
    {"fused", "fused_bias_relu", "pl::Array fused_bias_relu(pl::Array x, pl::Array bias, pl::Block block, pl::Mode mode)"},
    {"pipeline", "pipelined_axpy",
     "pl::Array pipelined_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Pipeline pipeline, pl::Mode mode)"},
    {"product", "weighted_product", "pl::Array weighted_product(pl::Array x, pl::Array weights)"},
    {"participants", "participant_sum", "pl::Array participant_sum(pl::Array values, std::optional<std::int64_t> without)"},
}};
constexpr std::array<std::string_view, 3> kModes = {"interpret", "tpu", "invalid"};
constexpr std::string_view kNoExtents = "scalar";
constexpr std::string_view kNobody = "nobody";
constexpr std::string_view kOnTpu = "@tpu";
constexpr std::size_t kMostExtents = 16;

const KernelRow& RowOf(Kernel kernel) { return kKernels[static_cast<std::size_t>(kernel)]; }

std::string Extents(const core::Shape& shape) {
  std::string text;
  for (const std::int64_t extent : shape) text += (text.empty() ? "" : "x") + std::to_string(extent);
  return shape.empty() ? std::string(kNoExtents) : text;
}

template <typename T>
std::optional<T> Number(std::string_view text) {
  T value{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// Takes words off a line; the first word that does not fit makes the whole line unfit.
class Words {
 public:
  explicit Words(std::string_view line) : rest_(line) {}

  bool ok() const { return ok_; }
  bool finished() const { return rest_.empty(); }

  std::string_view Next() {
    const std::size_t end = std::min(rest_.find(' '), rest_.size());
    const std::string_view word = rest_.substr(0, end);
    rest_.remove_prefix(std::min(end + 1, rest_.size()));
    return word;
  }

  void Require(bool fits) { ok_ = ok_ && fits; }
  void Word(std::string_view expected) { Require(Next() == expected); }

  template <typename Names>
  std::size_t OneOf(const Names& names) {
    const std::string_view word = Next();
    for (std::size_t i = 0; i < names.size(); ++i) {
      if (names[i] == word) return i;
    }
    ok_ = false;
    return 0;
  }

  core::Shape Shape() {
    std::string_view word = Next();
    core::Shape shape;
    if (word == kNoExtents) return shape;
    for (bool more = true; more && ok_;) {
      const std::size_t end = word.find('x');
      const auto extent = Number<std::int64_t>(word.substr(0, end));
      Require(extent.has_value() && shape.size() < kMostExtents);
      if (ok_) shape.push_back(*extent);
      more = end != std::string_view::npos;
      if (more) word.remove_prefix(end + 1);
    }
    return shape;
  }

  Input OneInput() {
    Input input;
    std::string_view word = Next();
    input.on_tpu = word.ends_with(kOnTpu);
    if (input.on_tpu) word.remove_suffix(kOnTpu.size());
    const auto dtype = core::DTypeFromName(word);
    Require(dtype.has_value());
    input.dtype = dtype.value_or(core::DType::kFloat32);
    input.shape = Shape();
    return input;
  }

 private:
  std::string_view rest_;
  bool ok_ = true;
};

void ParsePipeline(Words& words, TraceRequest& request) {
  words.Word("buffers");
  const auto buffers = Number<int>(words.Next());
  words.Require(buffers.has_value());
  request.buffers = buffers.value_or(0);
  request.synchronous = !words.finished();
  if (request.synchronous) words.Word("synchronous");
}

void ParseParticipants(Words& words, TraceRequest& request) {
  words.Word("without");
  const std::string_view word = words.Next();
  if (word == kNobody) return;
  request.without = Number<std::int64_t>(word);
  words.Require(request.without.has_value());
}

}  // namespace

std::string_view Name(Kernel kernel) { return RowOf(kernel).name; }
std::optional<Kernel> KernelFromName(std::string_view name) {
  for (std::size_t i = 0; i < kKernels.size(); ++i) {
    if (kKernels[i].name == name) return static_cast<Kernel>(i);
  }
  return std::nullopt;
}

std::string_view FunctionName(Kernel kernel) { return RowOf(kernel).function; }
std::string_view Declaration(Kernel kernel) { return RowOf(kernel).declaration; }

std::string ToLine(const TraceRequest& request) {
  std::string line = fmt::format("{} {} block {}", Name(request.kernel), kModes[static_cast<std::size_t>(request.mode)],
                                 Extents(request.block));
  for (const Input& input : request.inputs) {
    line += fmt::format(" {}{} {}", core::Name(input.dtype), input.on_tpu ? kOnTpu : "", Extents(input.shape));
  }
  if (request.kernel == Kernel::kParticipants) return line + " without " + (request.without ? std::to_string(*request.without) : std::string(kNobody));
  if (request.kernel != Kernel::kPipeline) return line;
  return line + fmt::format(" buffers {}{}", request.buffers, request.synchronous ? " synchronous" : "");
}

core::Result<TraceRequest> ParseLine(std::string_view line) {
  constexpr std::array<std::string_view, 5> kNames = {kKernels[0].name, kKernels[1].name, kKernels[2].name, kKernels[3].name, kKernels[4].name};
  Words words(line);
  TraceRequest request;
  request.kernel = static_cast<Kernel>(words.OneOf(kNames));
  request.mode = static_cast<Mode>(words.OneOf(kModes));
  words.Word("block");
  request.block = words.Shape();
  const int inputs = request.kernel == Kernel::kParticipants ? 1 : 2;
  for (int i = 0; i < inputs; ++i) request.inputs.push_back(words.OneInput());
  if (request.kernel == Kernel::kPipeline) ParsePipeline(words, request);
  if (request.kernel == Kernel::kParticipants) ParseParticipants(words, request);
  if (!words.ok() || ToLine(request) != line) {
    return core::Fail(core::ErrorCode::kBadInput, fmt::format("not a trace request: '{}'", line));
  }
  return request;
}

}  // namespace kernel_audit::worker
