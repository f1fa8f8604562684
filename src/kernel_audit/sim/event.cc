#include "kernel_audit/sim/event.h"

#include <algorithm>

namespace kernel_audit::sim {

EventPart EventLog::PartOf(const View& view) {
  auto found = std::find(known_.begin(), known_.end(), view.buffer);
  if (found == known_.end()) {
    known_.push_back(view.buffer);
    buffers.push_back(view.buffer->name);
    shapes.push_back(view.buffer->shape);
    spaces.push_back(view.buffer->space);
    found = known_.end() - 1;
  }
  return {static_cast<int>(found - known_.begin()), RegionOf(view), view.buffer->shape.size()};
}

int EventLog::SemaphoreOf(const View& view) {
  const std::pair<const Buffer*, std::int64_t> wanted(view.buffer, view.offset);
  auto found = std::find(known_semaphores_.begin(), known_semaphores_.end(), wanted);
  if (found == known_semaphores_.end()) {
    known_semaphores_.push_back(wanted);
    semaphore_buffers.push_back(PartOf(view).buffer);
    semaphores.push_back(view.buffer->name + " " + core::ToString(ElementIndex(*view.buffer, view.offset)));
    found = known_semaphores_.end() - 1;
  }
  return static_cast<int>(found - known_semaphores_.begin());
}

}  // namespace kernel_audit::sim
