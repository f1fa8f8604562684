#include "kernel_audit/trace/session.h"

#include <atomic>

#include "kernel_audit/trace/trace_error.h"

namespace kernel_audit::trace {
namespace {

thread_local Graph* current_graph = nullptr;
thread_local HostProgram* current_host = nullptr;
thread_local Here current_place;
thread_local const GridView* current_grid = nullptr;
thread_local std::uint64_t current_trace = 0;
std::atomic<std::uint64_t> last_trace = 0;

}  // namespace

Graph& CurrentGraph(const char* what, Here here) {
  if (current_graph == nullptr) Misuse(what, "only works inside a kernel or an index map", here);
  return *current_graph;
}

HostProgram& CurrentHost(const char* what, Here here) {
  if (current_host == nullptr) Misuse(what, "only works on arrays that are being traced", here);
  if (current_graph != nullptr) Misuse(what, "is an operation on whole arrays and can't be used inside a kernel", here);
  return *current_host;
}

Here PlacedAt(Here here) { return current_place.file != nullptr ? current_place : here; }

PlaceScope::PlaceScope(Here place) : outer_(current_place) { current_place = place; }

PlaceScope::~PlaceScope() { current_place = outer_; }

const GridView* CurrentGrid() { return current_grid; }

GridViewScope::GridViewScope(GridView view) : view_(view), outer_(current_grid) { current_grid = &view_; }

GridViewScope::~GridViewScope() { current_grid = outer_; }

GraphScope::GraphScope(const char* what, Graph& graph, Here here) {
  if (current_graph != nullptr) Misuse(what, "can't be used inside a kernel or an index map", here);
  current_graph = &graph;
}

GraphScope::~GraphScope() { current_graph = nullptr; }

HostScope::HostScope(HostProgram& host) : outer_(current_host), outer_trace_(current_trace) {
  current_host = &host;
  current_trace = ++last_trace;
}

HostScope::~HostScope() {
  current_host = outer_;
  current_trace = outer_trace_;
}

std::uint64_t CurrentTrace() { return current_trace; }

}  // namespace kernel_audit::trace
