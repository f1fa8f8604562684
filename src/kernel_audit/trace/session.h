// The traces under way on this thread: a host program, and inside it at most one kernel or index map at a time.
#pragma once

#include <cstdint>

#include "kernel_audit/trace/graph.h"

namespace kernel_audit::trace {

class HostProgram;

// The graph that values are being added to. Throws TraceError("[what] ...") outside a kernel or an index map.
Graph& CurrentGraph(const char* what, Here here);

// The host program being traced. Throws outside TraceModule.
HostProgram& CurrentHost(const char* what, Here here);

// Numbers the host program being traced; 0 outside TraceModule. Handles remember it, so that one kept for longer than its program is
// refused and never followed.
std::uint64_t CurrentTrace();

// Where an operation counts as written: at the innermost PlaceScope's place, else at `here`. Library code that records operations on a
// user's behalf opens one, and closes it around calls of the user's own functions with a scope of no place.
Here PlacedAt(Here here);

class PlaceScope {
 public:
  explicit PlaceScope(Here place);
  ~PlaceScope();
  PlaceScope(const PlaceScope&) = delete;

 private:
  Here outer_;
};

// What program_id and num_programs answer with: the indices and extents of a pipeline's grid instead of the kernel's.
struct GridView {
  const std::vector<Node*>* indices;
  const std::vector<std::int64_t>* extents;
};
const GridView* CurrentGrid();

class GridViewScope {
 public:
  explicit GridViewScope(GridView view);
  ~GridViewScope();
  GridViewScope(const GridViewScope&) = delete;

 private:
  GridView view_;
  const GridView* outer_;
};

// While it lives, `graph` is the current one; there must be none before it.
class GraphScope {
 public:
  GraphScope(const char* what, Graph& graph, Here here);
  ~GraphScope();
  GraphScope(const GraphScope&) = delete;
};

// While it lives, `host` is the current host program.
class HostScope {
 public:
  explicit HostScope(HostProgram& host);
  ~HostScope();
  HostScope(const HostScope&) = delete;

 private:
  HostProgram* outer_;
  std::uint64_t outer_trace_;
};

}  // namespace kernel_audit::trace
