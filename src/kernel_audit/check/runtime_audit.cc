#include "kernel_audit/check/runtime_audit.h"

#include <algorithm>
#include <limits>

#include <fmt/core.h>
#include <fmt/ranges.h>

#include "kernel_audit/check/candidate_run.h"
#include "kernel_audit/check/host_rules.h"
#include "kernel_audit/core/bfloat16.h"
#include "kernel_audit/core/json.h"
#include "kernel_audit/core/printable.h"
#include "kernel_audit/core/sha256.h"
#include "kernel_audit/simulated/simulator.h"
#include "kernel_audit/worker/toolchain.h"

namespace kernel_audit::check {
namespace {

using core::ArrayType;
using core::DType;
using core::ErrorCode;
using core::HostArray;
using worker::Kernel;
using worker::TraceReply;
using worker::TraceRequest;

constexpr std::int64_t kRows = 4, kInner = 8, kColumns = 4;
const ArrayType kX{DType::kFloat32, {kRows, kInner}}, kWeights{DType::kBFloat16, {kInner, kColumns}}, kResult{DType::kFloat32, {kRows, kColumns}};
const ArrayType kValues{DType::kInt32, {3}}, kSum{DType::kInt32, {1}};

bool HasProduct(int stage) { return stage != 2; }
bool HasParticipants(int stage) { return stage == 2 || stage == 4; }

TraceRequest ProductRequest() { return MakeRequest(Kernel::kProduct, kX, kWeights, {}); }

TraceRequest ParticipantRequest(std::optional<std::int64_t> without) {
  TraceRequest request;
  request.kernel = Kernel::kParticipants;
  request.inputs = {{kValues.dtype, kValues.shape, false}};
  request.without = without;
  return request;
}

// A module of the candidate's that does nothing but `operations`. It is XLA that would run it, in this process.
core::Result<std::string> AcceptedModule(const TraceReply& reply, std::vector<std::string_view> operations) {
  if (reply.kind == TraceReply::Kind::kRefusal) return core::Fail(ErrorCode::kFailed, "refused a valid request: " + reply.text);
  if (reply.kind == TraceReply::Kind::kError) return core::Fail(ErrorCode::kFailed, Thrown(reply));
  if (reply.kind != TraceReply::Kind::kModule) return core::Fail(ErrorCode::kFailed, reply.text);
  if (reply.text.size() > kMostModuleBytes) return core::Fail(ErrorCode::kFailed, "the module is larger than any that is read");
  if (reply.text.find("custom_call") != std::string::npos) return core::Fail(ErrorCode::kFailed, "the module calls a kernel; this audit is about host arrays");
  HostLimits limits;
  limits.elements = 4096;
  limits.also = std::move(operations);
  if (auto ok = CheckHostProgram(reply.text, limits); !ok) return tl::unexpected(ok.error());
  return reply.text;
}

core::Result<HostArray> RunModule(const pjrt::Client& client, const std::string& module, std::string_view name, const std::vector<const HostArray*>& inputs,
                                  const ArrayType& result) {
  const auto executable = client.Compile(module, name);
  if (!executable) return tl::unexpected(executable.error());
  std::vector<pjrt::Buffer> buffers;
  for (const HostArray* input : inputs) {
    auto buffer = client.FromHost(*input);
    if (!buffer) return tl::unexpected(buffer.error());
    buffers.push_back(std::move(*buffer));
  }
  std::vector<const pjrt::Buffer*> arguments;
  for (const pjrt::Buffer& buffer : buffers) arguments.push_back(&buffer);
  const auto outputs = executable->Execute(arguments);
  if (!outputs) return tl::unexpected(outputs.error());
  if (outputs->size() != 1) return core::Fail(ErrorCode::kFailed, fmt::format("returned {} arrays instead of one", outputs->size()));
  const auto type = outputs->front().Type();
  if (!type) return tl::unexpected(type.error());
  if (*type != result) return core::Fail(ErrorCode::kFailed, "returned " + core::ToString(*type) + " instead of " + core::ToString(result));
  return outputs->front().ToHost();
}

// The operations, one a line, without their locations.
std::vector<std::string> Operations(std::string_view module) {
  std::vector<std::string> lines;
  for (std::size_t at = 0; at < module.size();) {
    const std::size_t end = std::min(module.find('\n', at), module.size());
    std::string_view line = module.substr(at, end - at);
    line = line.substr(0, line.find(" loc("));
    if (line.starts_with("    ")) lines.emplace_back(line.substr(4));
    at = end + 1;
  }
  return lines;
}

// Empty: stored as bfloat16, converted to float32, multiplied as float32, and nothing else.
std::string DTypeProblem(const std::string& module) {
  const std::vector<std::string> wanted = {
      "%0 = stablehlo.convert %arg1 : (tensor<8x4xbf16>) -> tensor<8x4xf32>",
      "%1 = stablehlo.dot_general %arg0, %0, contracting_dims = [1] x [0], precision = [HIGHEST, HIGHEST] : (tensor<4x8xf32>, tensor<8x4xf32>) -> tensor<4x4xf32>",
      "return %1 : tensor<4x4xf32>"};
  const std::vector<std::string> got = Operations(module);
  for (std::size_t i = 0; i < wanted.size(); ++i) {
    if (i >= got.size() || got[i] != wanted[i]) return fmt::format("operation {} of the module is '{}', not '{}': convert the weights to float32, then take the product with x, no more",
                                                                   i + 1, i < got.size() ? got[i] : "missing", wanted[i]);
  }
  return got.size() == wanted.size() ? "" : "the module goes on after its product";
}

// Every product and every sum is a float32, whatever the order: 13 bits times 7 bits, eight times. Rounding x to bfloat16 would be seen.
HostArray X() {
  HostArray x(kX);
  for (std::size_t i = 0; i < x.elements<float>().size(); ++i) x.elements<float>()[i] = static_cast<float>(4097 + 14 * static_cast<int>(i)) / 4096;
  return x;
}

HostArray Weights() {
  HostArray weights(kWeights);
  for (std::size_t i = 0; i < weights.elements<std::uint16_t>().size(); ++i) {
    weights.elements<std::uint16_t>()[i] = core::FloatToBFloat16(static_cast<float>(static_cast<int>(i * 37 % 255) - 127) / 64);
  }
  return weights;
}

std::string ProductProblem(const HostArray& x, const HostArray& weights, const HostArray& result) {
  for (std::int64_t row = 0; row < kRows; ++row) {
    for (std::int64_t column = 0; column < kColumns; ++column) {
      double expected = 0;
      for (std::int64_t k = 0; k < kInner; ++k) {
        expected += static_cast<double>(x.elements<float>()[static_cast<std::size_t>(row * kInner + k)]) *
                    static_cast<double>(core::BFloat16ToFloat(weights.elements<std::uint16_t>()[static_cast<std::size_t>(k * kColumns + column)]));
      }
      const double got = static_cast<double>(result.elements<float>()[static_cast<std::size_t>(row * kColumns + column)]);
      if (!(got == expected)) return fmt::format("element ({}, {}) is {}, the oracle has {}", row, column, core::HexFloat(got), core::HexFloat(expected));
    }
  }
  return "";
}

CheckLine DeviceLine(const pjrt::Client& client, std::optional<std::int64_t> asked) {
  CheckLine line{false, "backend and devices", ""};
  const std::size_t listed = client.devices().size(), wanted = asked ? static_cast<std::size_t>(*asked) : listed;
  line.passed = client.platform_name() == "cpu" && listed == client.device_count() && listed == wanted && listed > 0;
  line.detail = fmt::format("PJRT reports backend {} and {} devices, its list has {}{}", client.platform_name(), client.device_count(), listed,
                            asked ? fmt::format(", {} were asked for", wanted) : "");
  return line;
}

CheckLine ProductLine(const pjrt::Client& client, const TraceReply& reply, RuntimeReport& report) {
  CheckLine line{false, "weighted_product float32(4, 8) by bfloat16(8, 4)", ""};
  const auto module = AcceptedModule(reply, {"convert", "dot_general"});
  line.detail = module ? DTypeProblem(*module) : module.error().ToString();
  if (!line.detail.empty()) return line;
  const HostArray x = X(), weights = Weights();
  const auto result = RunModule(client, *module, "weighted_product", {&x, &weights}, kResult);
  line.detail = result ? ProductProblem(x, weights, *result) : result.error().ToString();
  if (!line.detail.empty()) return line;
  report.module_sha256 = core::Sha256(*module);
  return {true, line.name, "weights stored as bfloat16 and converted to float32, 16 of 16 float32 results are the oracle's"};
}

std::string SumProblem(const pjrt::Client& client, const std::string& module, const std::vector<std::int32_t>& values, std::optional<std::int64_t> without,
                       std::int32_t& sum) {
  HostArray array(kValues);
  std::int32_t expected = 0;
  for (std::size_t i = 0; i < values.size(); ++i) {
    array.elements<std::int32_t>()[i] = values[i];
    if (static_cast<std::int64_t>(i) != without.value_or(-1)) expected += values[i];
  }
  const auto result = RunModule(client, module, "participant_sum", {&array}, kSum);
  if (!result) return result.error().ToString();
  sum = result->elements<std::int32_t>()[0];
  return sum == expected ? "" : fmt::format("the sum of [{}] is {}, not {}", fmt::join(values, ", "), sum, expected);
}

CheckLine SumLine(const pjrt::Client& client, const TraceReply& reply, std::optional<std::int64_t> without) {
  CheckLine line{false, without ? fmt::format("simulated participants without index {}", *without) : "simulated participants", ""};
  const auto module = AcceptedModule(reply, {"add"});
  if (!module) return {false, line.name, module.error().ToString()};
  std::int32_t sum = 0;
  // Other values too: a sum that does not read them is none.
  line.detail = SumProblem(client, *module, {-700, 60000, 9000000}, without, sum);
  if (line.detail.empty()) line.detail = SumProblem(client, *module, {1, 2, 3}, without, sum);
  line.passed = line.detail.empty();
  if (line.passed) line.detail = fmt::format("the values [1, 2, 3] sum to {}, by ordinary arithmetic", sum);
  return line;
}

CheckLine RefusalLine(const TraceReply& reply, std::int64_t without) {
  const bool refused = reply.kind == TraceReply::Kind::kRefusal;
  const std::string rule = "must refuse an index that no participant has, with pl::require; it ";
  const std::string did = reply.kind == TraceReply::Kind::kModule ? "returned a module" : reply.kind == TraceReply::Kind::kError ? Thrown(reply) : "did not: " + reply.text;
  return {refused, fmt::format("index {} is refused", without), refused ? reply.text : rule + did};
}

struct Question {
  TraceRequest request;
  bool valid = true;
};

std::vector<Question> Questions(int stage) {
  using Limits = std::numeric_limits<std::int64_t>;
  std::vector<Question> questions;
  if (HasProduct(stage)) questions.push_back({ProductRequest()});
  if (!HasParticipants(stage)) return questions;
  questions.push_back({ParticipantRequest(std::nullopt)});
  for (const std::int64_t without : {1, 0, 2}) questions.push_back({ParticipantRequest(without)});
  for (const std::int64_t without : {std::int64_t{-1}, std::int64_t{3}, Limits::min(), Limits::max()}) questions.push_back({ParticipantRequest(without), false});
  return questions;
}

CheckLine Judge(const pjrt::Client& client, const Question& question, const TraceReply& reply, RuntimeReport& report) {
  if (question.request.kernel == Kernel::kProduct) return ProductLine(client, reply, report);
  return question.valid ? SumLine(client, reply, question.request.without) : RefusalLine(reply, *question.request.without);
}

std::string AllReduceModule(std::size_t count) {
  std::string group;
  for (std::size_t i = 0; i < count; ++i) group += (i > 0 ? ", " : "") + std::to_string(i);
  return fmt::format(R"(module @all_reduce attributes {{mhlo.num_partitions = 1 : i32, mhlo.num_replicas = {0} : i32}} {{
  func.func public @main(%arg0: tensor<1xi32>) -> tensor<1xi32> {{
    %0 = "stablehlo.all_reduce"(%arg0) ({{
    ^bb0(%a: tensor<i32>, %b: tensor<i32>):
      %1 = stablehlo.add %a, %b : tensor<i32>
      stablehlo.return %1 : tensor<i32>
    }}) {{replica_groups = dense<[[{1}]]> : tensor<1x{0}xi64>}} : (tensor<1xi32>) -> tensor<1xi32>
    return %0 : tensor<1xi32>
  }}
}}
)", count, group);
}

core::Result<CheckLine> AllReduceLine(const pjrt::Client& client, RuntimeReport& report) {
  const std::size_t count = client.devices().size();
  CpuAllReduce reduce;
  std::vector<HostArray> inputs;
  for (std::size_t i = 0; i < count; ++i) {
    reduce.inputs.push_back(static_cast<std::int32_t>(i + 1));
    inputs.emplace_back(kSum).elements<std::int32_t>()[0] = reduce.inputs.back();
  }
  const auto outputs = client.RunReplicas(AllReduceModule(count), "all_reduce", inputs);
  if (!outputs) return tl::unexpected(outputs.error());
  for (const HostArray& output : *outputs) {
    if (output.type() != kSum) return core::Fail(ErrorCode::kPlugin, "all_reduce: the plugin returned " + core::ToString(output.type()));
    reduce.results.push_back(output.elements<std::int32_t>()[0]);
  }
  const auto expected = static_cast<std::int32_t>(count * (count + 1) / 2);
  const bool same = std::all_of(reduce.results.begin(), reduce.results.end(), [&](std::int32_t sum) { return sum == expected; });
  report.all_reduce = std::move(reduce);
  return CheckLine{same, "all-reduce over CPU devices of this process", fmt::format("{} devices, each holds {} as the sum of 1 to {}{}", count, expected, count,
                                                                                   same ? "" : ": one of them does not")};
}

}  // namespace

bool RuntimeReport::passed() const {
  return !lines.empty() && std::all_of(lines.begin(), lines.end(), [](const CheckLine& line) { return line.passed; });
}

core::Result<RuntimeReport> AuditRuntime(const RuntimeOptions& options) {
  const auto plugin = pjrt::Plugin::Load(simulated::CpuPluginPath());
  if (!plugin) return tl::unexpected(plugin.error());
  const auto client = pjrt::Client::Create(*plugin, {.cpu_device_count = options.devices});
  if (!client) return tl::unexpected(client.error());
  const auto toolchain = worker::FindToolchain();
  if (!toolchain) return tl::unexpected(toolchain.error());
  const auto candidate = worker::BuildCandidate(options.candidate, *toolchain);
  if (!candidate) return tl::unexpected(candidate.error());
  const std::vector<Question> questions = Questions(options.stage);
  std::vector<TraceRequest> requests;
  for (const Question& question : questions) requests.push_back(question.request);
  const auto replies = worker::TraceCandidate(*candidate, requests);
  if (!replies) return tl::unexpected(replies.error());

  RuntimeReport report;
  report.candidate = options.name;
  report.candidate_sha256 = core::Sha256(candidate->source);
  report.stage = options.stage;
  report.backend = client->platform_name();
  report.backend_version = client->platform_version();
  report.reported_devices = client->device_count();
  report.devices = client->devices();
  report.sandbox_layers = candidate->layers;
  report.lines.push_back(DeviceLine(*client, options.devices));
  for (std::size_t i = 0; i < questions.size(); ++i) report.lines.push_back(Judge(*client, questions[i], (*replies)[i], report));
  if (options.devices) {
    auto line = AllReduceLine(*client, report);
    if (!line) return tl::unexpected(line.error());
    report.lines.push_back(std::move(*line));
  }
  for (CheckLine& line : report.lines) line.detail = core::Printable(line.detail);
  return report;
}

}  // namespace kernel_audit::check
