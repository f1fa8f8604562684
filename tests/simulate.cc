#include "simulate.h"

#include <cmath>
#include <cstdlib>
#include <stdexcept>

#include "kernel_audit/trace/module.h"

namespace kernel_audit::testing {
namespace {

template <typename T>
T OrThrow(core::Result<T> result) {
  if (!result) throw std::runtime_error(result.error().ToString());
  return std::move(*result);
}

const core::Result<simulated::Simulator>& MaybeSimulator() {
  static const core::Result<simulated::Simulator> simulator = simulated::Simulator::Create();
  return simulator;
}

// Counts representable numbers from the smallest on; both zeros are one number.
std::int64_t Position(float value, DType dtype) {
  const auto bits = std::bit_cast<std::uint32_t>(value);
  const std::int64_t magnitude = (bits & 0x7fffffffu) >> (dtype == DType::kBFloat16 ? 16 : 0);
  return bits >> 31 != 0 ? -magnitude : magnitude;
}

}  // namespace

HostArray MakeArray(DType dtype, const Shape& shape, const std::function<double(std::int64_t)>& value) {
  HostArray array({dtype, shape});
  const std::int64_t count = core::NumElements(shape);
  for (std::int64_t i = 0; i < count; ++i) {
    const auto at = static_cast<std::size_t>(i);
    switch (dtype) {
      case DType::kFloat32: array.elements<float>()[at] = static_cast<float>(value(i)); break;
      case DType::kBFloat16: array.elements<std::uint16_t>()[at] = core::FloatToBFloat16(static_cast<float>(value(i))); break;
      case DType::kInt32: array.elements<std::int32_t>()[at] = static_cast<std::int32_t>(value(i)); break;
      case DType::kUInt32: array.elements<std::uint32_t>()[at] = static_cast<std::uint32_t>(value(i)); break;
      case DType::kInt16: array.elements<std::int16_t>()[at] = static_cast<std::int16_t>(value(i)); break;
      case DType::kInt8: array.elements<std::int8_t>()[at] = static_cast<std::int8_t>(value(i)); break;
      default: throw std::runtime_error("MakeArray does not make " + std::string(core::Name(dtype)));
    }
  }
  return array;
}

HostArray Floats(const Shape& shape, const std::function<double(std::int64_t)>& value) { return MakeArray(DType::kFloat32, shape, value); }

HostArray Ints(const std::vector<int>& values) {
  return MakeArray(DType::kInt32, {static_cast<std::int64_t>(values.size())}, [&](std::int64_t i) { return values[static_cast<std::size_t>(i)]; });
}

std::vector<double> Values(const HostArray& array) {
  std::vector<double> values;
  switch (array.dtype()) {
    case DType::kFloat32: for (float v : array.elements<float>()) values.push_back(v); break;
    case DType::kBFloat16: for (std::uint16_t v : array.elements<std::uint16_t>()) values.push_back(core::BFloat16ToFloat(v)); break;
    case DType::kInt32: for (std::int32_t v : array.elements<std::int32_t>()) values.push_back(v); break;
    case DType::kUInt32: for (std::uint32_t v : array.elements<std::uint32_t>()) values.push_back(v); break;
    case DType::kInt16: for (std::int16_t v : array.elements<std::int16_t>()) values.push_back(v); break;
    case DType::kInt8: for (std::int8_t v : array.elements<std::int8_t>()) values.push_back(v); break;
    default: throw std::runtime_error("Values does not read " + std::string(core::Name(array.dtype())));
  }
  return values;
}

std::vector<std::uint32_t> Bits(const HostArray& array) {
  if (core::ByteSize(array.dtype()) == 4) return {array.elements<std::uint32_t>().begin(), array.elements<std::uint32_t>().end()};
  return {array.elements<std::uint16_t>().begin(), array.elements<std::uint16_t>().end()};
}

std::uint32_t Crc(const HostArray& array) {
  std::uint32_t crc = 0xffffffffu;
  for (std::size_t i = 0; i < array.byte_size(); ++i) {
    crc ^= static_cast<std::uint32_t>(array.data()[i]);
    for (int bit = 0; bit < 8; ++bit) crc = (crc >> 1) ^ ((crc & 1u) != 0 ? 0xedb88320u : 0u);
  }
  return ~crc;
}

std::int64_t UlpsApart(float a, float b, DType dtype) {
  if (std::isnan(a) || std::isnan(b)) return std::isnan(a) && std::isnan(b) ? 0 : INT64_MAX;
  return std::abs(Position(a, dtype) - Position(b, dtype));
}

std::string Trace(const std::vector<const HostArray*>& inputs, const Function& function) {
  std::vector<trace::ArgumentType> types;
  for (const HostArray* input : inputs) types.push_back({input->dtype(), input->shape()});
  return trace::TraceModule("test", types, function);
}

const simulated::Simulator& TheSimulator() {
  if (!MaybeSimulator()) throw std::runtime_error(MaybeSimulator().error().ToString());
  return *MaybeSimulator();
}

Outcome SimulateModule(std::string_view module, const std::vector<const HostArray*>& inputs, const sim::RunOptions& options) {
  const simulated::SimulatedProgram program = OrThrow(TheSimulator().Load(module, "test.mlir"));
  return OrThrow(program.Run(inputs, options));
}

Outcome Simulate(const Function& function, const std::vector<const HostArray*>& inputs, const sim::RunOptions& options) {
  return SimulateModule(Trace(inputs, function), inputs, options);
}

std::string Describe(const sim::Finding& finding) {
  std::string text = std::string(sim::Name(finding.kind)) + " of " + finding.buffer;
  if (!finding.grid_point.empty()) text += " at " + core::ToString(finding.grid_point);
  if (finding.occurrences != 1) text += ", " + std::to_string(finding.occurrences) + " times";
  return text + ": " + finding.message;
}

std::vector<std::string> Findings(const sim::Report& report) {
  std::vector<std::string> lines;
  for (const sim::Finding& finding : report.findings) lines.push_back(Describe(finding));
  return lines;
}

std::vector<std::string> Findings(const Outcome& outcome) {
  std::vector<std::string> lines;
  for (const sim::Report& report : outcome.kernels) {
    for (std::string& line : Findings(report)) lines.push_back(std::move(line));
  }
  return lines;
}

void SimulatedTest::SetUp() {
  if (!MaybeSimulator()) GTEST_SKIP() << MaybeSimulator().error().ToString();
}

Kernel::Kernel(const Function& function, const std::vector<const HostArray*>& inputs) : Kernel(Trace(inputs, function)) {}

Kernel::Kernel(std::string_view module) : module_(OrThrow(import::ImportModule(module, 0))) {
  if (module_.kernels.size() != 1) throw std::runtime_error("the module has " + std::to_string(module_.kernels.size()) + " kernels, not one");
  program_ = OrThrow(sim::Program::Decode(*module_.kernels[0]));
}

namespace {

std::string TrafficText(const sim::Report& report) {
  std::string text;
  for (const sim::Traffic& t : report.traffic) {
    text += t.operand + ": " + std::to_string(t.fetches) + " fetches of " + std::to_string(t.fetched_bytes) + ", " + std::to_string(t.write_backs) + " of " +
            std::to_string(t.written_bytes) + "\n";
  }
  return text;
}

// Whatever a run tells, and its outputs.
void ExpectSame(const KernelRun& one, const KernelRun& other) {
  EXPECT_EQ(Findings(one.report), Findings(other.report));
  EXPECT_EQ(TrafficText(one.report), TrafficText(other.report));
  EXPECT_EQ(one.report.cores, other.report.cores);
  EXPECT_EQ(one.report.dmas, other.report.dmas);
  ASSERT_EQ(one.outputs.size(), other.outputs.size());
  for (std::size_t i = 0; i < one.outputs.size(); ++i) {
    EXPECT_EQ(Crc(one.outputs[i]), Crc(other.outputs[i])) << "output " << i;
    EXPECT_EQ(one.report.ownership[i].owner, other.report.ownership[i].owner) << "output " << i;
    EXPECT_EQ(one.report.ownership[i].unwritten_elements, other.report.ownership[i].unwritten_elements) << "output " << i;
  }
}

}  // namespace

// On one thread, and on several: nothing may tell them apart.
core::Result<KernelRun> Kernel::TryRun(const std::vector<const HostArray*>& inputs, const sim::RunOptions& options) const {
  if (options.threads != 0 || options.events != nullptr) return RunOnce(inputs, options);
  sim::RunOptions one = options, several = options;
  one.threads = 1;
  several.threads = 3;
  auto run = RunOnce(inputs, one);
  const auto divided = RunOnce(inputs, several);
  EXPECT_EQ(run.has_value(), divided.has_value());
  if (run && divided) ExpectSame(*run, *divided);
  return run;
}

core::Result<KernelRun> Kernel::RunOnce(const std::vector<const HostArray*>& inputs, const sim::RunOptions& options) const {
  const ir::Kernel& kernel = program_->kernel();
  if (inputs.size() != kernel.inputs.size()) throw std::runtime_error("the kernel takes another number of inputs");
  std::vector<const std::byte*> in;
  std::vector<std::byte*> out;
  for (std::size_t i = 0; i < inputs.size(); ++i) {
    if (!(inputs[i]->type() == kernel.inputs[i])) throw std::runtime_error("input " + std::to_string(i) + " has another type than the kernel's");
    in.push_back(inputs[i]->data());
  }
  KernelRun run;
  for (const core::ArrayType& type : kernel.outputs) {
    run.outputs.emplace_back(type);
    out.push_back(run.outputs.back().data());
  }
  auto report = sim::Run(*program_, in, out, options);
  if (!report) return tl::unexpected(report.error());
  run.report = std::move(*report);
  return run;
}

KernelRun Kernel::Run(const std::vector<const HostArray*>& inputs, const sim::RunOptions& options) const { return OrThrow(TryRun(inputs, options)); }

KernelRun RunKernel(const SingleFunction& function, const std::vector<const HostArray*>& inputs, const sim::RunOptions& options) {
  return Kernel(Single(function), inputs).Run(inputs, options);
}

}  // namespace kernel_audit::testing
