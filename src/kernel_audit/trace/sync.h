// Copies that run beside the kernel, semaphores, and memory for a part of a kernel.
#pragma once

#include <initializer_list>
#include <utility>
#include <vector>

#include "kernel_audit/trace/scratch.h"

namespace kernel_audit::pallas {

// A copy from one reference to another; the semaphore gets the target's bytes when it is done. Between start and wait neither the
// source may be written nor the target touched. A copy that is made and never used is warned of by the compiler.
class [[nodiscard, gnu::warn_unused]] AsyncCopy {
 public:
  AsyncCopy(Ref source, Ref target, Ref semaphore) : source_(std::move(source)), target_(std::move(target)), semaphore_(std::move(semaphore)) {}
  void start(Here here = Here::Current()) const;
  void wait(Here here = Here::Current()) const;

 private:
  Ref source_, target_, semaphore_;
};

// Source and target have one shape and dtype; the semaphore is one pl::DMA semaphore (of several: `semaphores.at({i})`).
AsyncCopy make_async_copy(const Ref& source, const Ref& target, const Ref& semaphore, Here here = Here::Current());

// Starts a copy and waits for it, with a semaphore of its own.
void sync_copy(const Ref& source, const Ref& target, Here here = Here::Current());

// Adds to a regular semaphore; waits until it holds `value` and takes that away; looks at it.
void semaphore_signal(const Ref& semaphore, const Operand& increment = 1);
void semaphore_wait(const Ref& semaphore, const Operand& value = 1);
Value semaphore_read(const Ref& semaphore, Here here = Here::Current());

namespace detail {
void RunScoped(const std::function<void(const std::vector<Ref>&)>& body, const std::vector<Scratch>& memory, Here here);
}

// Runs `body` with references to fresh memory and semaphores, which end with it: one pl::Ref each, in order.
template <typename F>
void run_scoped(F body, const std::vector<Scratch>& memory, Here here = Here::Current()) {
  detail::RunScoped([&body](const std::vector<Ref>& refs) { detail::CallWithList<void, Ref>(body, refs); }, memory, here);
}

}  // namespace kernel_audit::pallas
