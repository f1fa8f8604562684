#include "kernel_audit/worker/trace_candidate.h"

#include <algorithm>
#include <chrono>
#include <fstream>

#include <fmt/core.h>

#include "kernel_audit/sandbox/sandbox.h"
#include "kernel_audit/worker/record.h"

namespace kernel_audit::worker {
namespace {

namespace fs = std::filesystem;

// One process and what it told about a run of requests.
struct Session {
  std::vector<Record> answers;  // of the first requests
  bool begun = false;           // the request after them was taken up
  sandbox::Outcome outcome;
};

core::Result<void> WriteRequests(const fs::path& path, std::span<const TraceRequest> requests) {
  std::ofstream file(path);
  for (const TraceRequest& request : requests) file << ToLine(request) << '\n';
  file.close();
  if (!file) return core::Fail(core::ErrorCode::kIo, fmt::format("cannot write {}", path.string()));
  return {};
}

tl::unexpected<core::Error> Forged(const BuiltCandidate& candidate) {
  return core::Fail(core::ErrorCode::kFailed, fmt::format("{} wrote bytes of its own on the worker's descriptor 3", candidate.file_name));
}

// A record of each kind at its place only: begin 0, answer 0, begin 1, answer 1...
bool Take(Session& session, Record record, std::size_t requests) {
  const bool in_order = record.id == session.answers.size() && record.id < requests;
  const bool is_begin = record.kind == RecordKind::kBegin;
  if (!in_order || is_begin == session.begun) return false;
  session.begun = is_begin;
  if (!is_begin) session.answers.push_back(std::move(record));
  return true;
}

core::Result<Session> RunOnce(const BuiltCandidate& candidate, std::span<const TraceRequest> requests, std::chrono::milliseconds wall) {
  const fs::path list = candidate.folder.path() / "requests";
  if (auto written = WriteRequests(list, requests); !written) return tl::unexpected(written.error());
  sandbox::Command command;
  command.argv = {candidate.executable(), list};
  command.environment = {"LC_ALL=C"};
  command.working_directory = candidate.source_folder();
  command.readable = {candidate.folder.path(), "/lib", "/lib64", "/usr/lib", "/usr/lib64", "/etc/ld.so.cache"};
  command.has_result = true;
  sandbox::Limits limits = candidate.toolchain.trace_limits;
  limits.wall = wall;
  auto outcome = sandbox::Run(command, limits);
  if (!outcome) return tl::unexpected(outcome.error());
  auto records = Decode(outcome->result.text);
  if (!records) return Forged(candidate);
  Session session;
  for (Record& record : records->records) {
    if (!Take(session, std::move(record), requests.size())) return Forged(candidate);
  }
  session.outcome = std::move(*outcome);
  session.outcome.result.text.clear();
  return session;
}

TraceReply ToReply(const BuiltCandidate& candidate, Record record) {
  using Kind = TraceReply::Kind;
  if (record.kind == RecordKind::kModule) return {Kind::kModule, "", std::move(record.text)};
  if (record.kind == RecordKind::kError && record.error_class == "undefined") {
    return {Kind::kMissing, "", fmt::format("{} does not define {}", candidate.file_name, record.text)};
  }
  if (record.error_class == "std::bad_alloc") {
    record.text = fmt::format("ran out of its {} MiB of memory", candidate.toolchain.trace_limits.memory_bytes >> 20);
  }
  const Kind kind = record.kind == RecordKind::kRefusal ? Kind::kRefusal : Kind::kError;
  return {kind, std::move(record.error_class), std::move(record.text)};
}

std::string HowItEnded(const BuiltCandidate& candidate, const Session& session) {
  const std::string end = Describe(session.outcome, candidate.toolchain.trace_limits);
  const bool left = session.outcome.limit == sandbox::Limit::kNone && session.outcome.ending == sandbox::Ending::kExited;
  return left ? fmt::format("{} ended its process ({})", candidate.file_name, end) : fmt::format("{} {}", candidate.file_name, end);
}

// What all requests share and one used up; empty: nothing.
std::string UsedUp(const Session& session) {
  switch (session.outcome.limit) {
    case sandbox::Limit::kWallClock:
    case sandbox::Limit::kCpuTime: return "the time";
    case sandbox::Limit::kResultSize: return "the room for results";
    default: return "";
  }
}

// The worker's loop over the requests, as seen from outside.
class Conversation {
 public:
  Conversation(const BuiltCandidate& candidate, std::span<const TraceRequest> requests) : candidate_(candidate), requests_(requests) {}

  core::Result<std::vector<TraceReply>> Run() {
    while (replies_.size() < requests_.size()) {
      auto session = RunOnce(candidate_, requests_.subspan(replies_.size()), left_);
      if (!session) return tl::unexpected(session.error());
      const std::chrono::duration<double> used(session->outcome.wall_seconds);
      left_ = std::max(left_ - std::chrono::duration_cast<std::chrono::milliseconds>(used), std::chrono::milliseconds(1));
      for (Record& answer : session->answers) replies_.push_back(ToReply(candidate_, std::move(answer)));
      if (replies_.size() == requests_.size()) break;
      if (auto noted = NoteEnd(*session); !noted) return tl::unexpected(noted.error());
    }
    return std::move(replies_);
  }

 private:
  std::string Which(std::size_t index) const { return fmt::format("request {} ({})", index + 1, ToLine(requests_[index])); }

  core::Result<void> NoteEnd(const Session& session) {
    const std::string how = HowItEnded(candidate_, session);
    if (!session.begun) {
      return core::Fail(core::ErrorCode::kFailed, session.answers.empty()
                                                      ? how + " before its first kernel was traced"
                                                      : fmt::format("{} before {} was taken up", how, Which(replies_.size())));
    }
    const std::size_t culprit = replies_.size();
    replies_.push_back({TraceReply::Kind::kEnded, "", fmt::format("{} while tracing {}", how, Which(culprit))});
    const std::string used_up = UsedUp(session);
    while (!used_up.empty() && replies_.size() < requests_.size()) {
      replies_.push_back({TraceReply::Kind::kEnded, "", fmt::format("not traced: {} used up {}", Which(culprit), used_up)});
    }
    return {};
  }

  const BuiltCandidate& candidate_;
  std::span<const TraceRequest> requests_;
  std::vector<TraceReply> replies_;
  std::chrono::milliseconds left_ = candidate_.toolchain.trace_limits.wall;  // for all processes together
};

}  // namespace

core::Result<std::vector<TraceReply>> TraceCandidate(const BuiltCandidate& candidate, std::span<const TraceRequest> requests) {
  return Conversation(candidate, requests).Run();
}

}  // namespace kernel_audit::worker
