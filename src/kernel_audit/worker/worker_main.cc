// The program that a candidate is linked into: `candidate REQUESTS`. Reads one request a line, has the candidate's function traced, writes
// records on descriptor 3. Whatever else the process does, prints or returns means nothing to whoever started it.
#include <cxxabi.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <memory>
#include <new>
#include <optional>
#include <stdexcept>
#include <string>
#include <typeinfo>

#include "kernel_audit/pallas.h"
#include "kernel_audit/trace/module.h"
#include "kernel_audit/worker/record.h"
#include "kernel_audit/worker/request.h"

namespace pl = kernel_audit::pallas;

// The candidate's functions; one that it does not define is null.
[[gnu::weak]] pl::Array blocked_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Mode mode);
[[gnu::weak]] pl::Array fused_bias_relu(pl::Array x, pl::Array bias, pl::Block block, pl::Mode mode);
[[gnu::weak]] pl::Array pipelined_axpy(pl::Array x, pl::Array y, pl::Block block, pl::Pipeline pipeline, pl::Mode mode);
[[gnu::weak]] pl::Array weighted_product(pl::Array x, pl::Array weights);
[[gnu::weak]] pl::Array participant_sum(pl::Array values, std::optional<std::int64_t> without);

namespace kernel_audit::worker {
namespace {

constexpr int kRecordFd = 3;
constexpr pl::Mode kNoSuchMode = static_cast<pl::Mode>(97);

void Write(const Record& record) {
  const std::string bytes = Encode(record);
  for (std::size_t at = 0; at < bytes.size();) {
    const ssize_t written = write(kRecordFd, bytes.data() + at, bytes.size() - at);
    if (written < 0 && errno != EINTR) _exit(1);
    if (written > 0) at += static_cast<std::size_t>(written);
  }
}

std::string ClassOf(const std::exception& error) {
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> name(abi::__cxa_demangle(typeid(error).name(), nullptr, nullptr, &status), std::free);
  return status == 0 ? name.get() : typeid(error).name();
}

bool IsDefined(Kernel kernel) {
  switch (kernel) {
    case Kernel::kAxpy: return blocked_axpy != nullptr;
    case Kernel::kFused: return fused_bias_relu != nullptr;
    case Kernel::kPipeline: return pipelined_axpy != nullptr;
    case Kernel::kProduct: return weighted_product != nullptr;
    case Kernel::kParticipants: return participant_sum != nullptr;
  }
  return false;
}

pl::Mode ModeOf(Mode mode) {
  switch (mode) {
    case Mode::kInterpret: return pl::Mode::interpret;
    case Mode::kTpu: return pl::Mode::tpu;
    case Mode::kInvalid: break;
  }
  return kNoSuchMode;
}

pl::Array Call(const TraceRequest& request, const std::vector<pl::Array>& inputs) {
  const pl::Array& a = inputs.front();
  const pl::Array& b = inputs.back();
  const pl::Block block(request.block);
  const pl::Mode mode = ModeOf(request.mode);
  switch (request.kernel) {
    case Kernel::kAxpy: return blocked_axpy(a, b, block, mode);
    case Kernel::kFused: return fused_bias_relu(a, b, block, mode);
    case Kernel::kProduct: return weighted_product(a, b);
    case Kernel::kParticipants: return participant_sum(a, request.without);
    case Kernel::kPipeline: break;
  }
  return pipelined_axpy(a, b, block, {.buffers = request.buffers, .synchronous = request.synchronous}, mode);
}

std::string Trace(const TraceRequest& request) {
  std::vector<trace::ArgumentType> arguments;
  for (const Input& input : request.inputs) arguments.push_back({input.dtype, input.shape, input.on_tpu});
  return trace::TraceModule(FunctionName(request.kernel), arguments, [&](const std::vector<pl::Array>& inputs) {
    return std::vector<pl::Array>{Call(request, inputs)};
  });
}

Record Answer(const TraceRequest& request, std::uint32_t id) {
  if (!IsDefined(request.kernel)) return {RecordKind::kError, id, "undefined", std::string(Declaration(request.kernel))};
  try {
    return {RecordKind::kModule, id, "", Trace(request)};
  } catch (const pl::TraceError& error) {
    return {RecordKind::kRefusal, id, ClassOf(error), error.what()};
  } catch (const std::invalid_argument& error) {
    return {RecordKind::kRefusal, id, ClassOf(error), error.what()};
  } catch (const std::exception& error) {
    return {RecordKind::kError, id, ClassOf(error), error.what()};
  } catch (...) {
    return {RecordKind::kError, id, "unknown", "something that is not a std::exception"};
  }
}

int Run(const char* path) {
  std::ifstream file(path);
  std::string line;
  for (std::uint32_t id = 0; std::getline(file, line); ++id) {
    const auto request = ParseLine(line);
    if (!request) return 1;
    Write({RecordKind::kBegin, id, "", ""});
    Write(Answer(*request, id));
  }
  return 0;
}

}  // namespace
}  // namespace kernel_audit::worker

// Leaves at once: the candidate's destructors and threads have no part in a trace.
int main(int count, char** arguments) { std::_Exit(count == 2 ? kernel_audit::worker::Run(arguments[1]) : 1); }
