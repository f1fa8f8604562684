#include "kernel_audit/trace/session.h"

#include "kernel_audit/trace/trace_error.h"

namespace kernel_audit::trace {
namespace {

thread_local Graph* current_graph = nullptr;
thread_local HostProgram* current_host = nullptr;

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

GraphScope::GraphScope(const char* what, Graph& graph, Here here) {
  if (current_graph != nullptr) Misuse(what, "can't be used inside a kernel or an index map", here);
  current_graph = &graph;
}

GraphScope::~GraphScope() { current_graph = nullptr; }

HostScope::HostScope(HostProgram& host) : outer_(current_host) { current_host = &host; }

HostScope::~HostScope() { current_host = outer_; }

}  // namespace kernel_audit::trace
