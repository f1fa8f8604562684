// Memory that kernels ask for, and how functions with any number of references are called.
#pragma once

#include <functional>
#include <type_traits>
#include <utility>
#include <vector>

#include "kernel_audit/trace/ref.h"

namespace kernel_audit::pallas {

// Memory of a kernel's own, not initialised; it keeps its content from program to program.
struct Scratch {
  MemorySpace space;
  Shape shape;
  DType dtype;
};
inline Scratch VMEM(Shape shape, DType dtype) { return {vmem, std::move(shape), dtype}; }
inline Scratch SMEM(Shape shape, DType dtype) { return {smem, std::move(shape), dtype}; }
// Semaphores, zero at first: of DMAs, which count bytes, and regular ones. Without a shape, one.
inline Scratch DMA(Shape shape = {}) { return {MemorySpace::kSemaphore, std::move(shape), DType::kDmaSemaphore}; }
inline Scratch Semaphore(Shape shape = {}) { return {MemorySpace::kSemaphore, std::move(shape), DType::kSemaphore}; }

namespace detail {

// Calls f with the first N elements of a list; N is fixed when it runs. Throws std::bad_function_call when f takes another number.
inline constexpr std::size_t kMaxArguments = 16;
template <typename Result, typename T, typename F, std::size_t... I>
Result CallWith(F& f, const std::vector<T>& list, std::index_sequence<I...>) {
  if constexpr (std::is_invocable_v<F&, decltype((void)I, std::declval<const T&>())...>) {
    return f(list[I]...);
  } else {
    throw std::bad_function_call();
  }
}
template <typename Result, typename T, std::size_t N = 0, typename F>
Result CallWithList(F& f, const std::vector<T>& list) {
  if constexpr (std::is_invocable_v<F&, const std::vector<T>&>) {
    return f(list);
  } else if (list.size() == N) {
    return CallWith<Result, T>(f, list, std::make_index_sequence<N>());
  } else if constexpr (N < kMaxArguments) {
    return CallWithList<Result, T, N + 1>(f, list);
  } else {
    throw std::bad_function_call();
  }
}

}  // namespace detail

}  // namespace kernel_audit::pallas
