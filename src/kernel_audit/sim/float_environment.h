// The processor's floating-point mode while kernels run. XLA calls us with subnormals flushed to zero; kernels keep them unless told.
#pragma once

namespace kernel_audit::sim {

enum class Subnormals { kKeep, kFlush };

// While it lives: round to nearest even, exceptions masked, subnormals kept or flushed (as inputs and as results). Then as before.
class FloatEnvironment {
 public:
  explicit FloatEnvironment(Subnormals subnormals);
  ~FloatEnvironment();
  FloatEnvironment(const FloatEnvironment&) = delete;
  FloatEnvironment& operator=(const FloatEnvironment&) = delete;

 private:
  unsigned before_;
};

}  // namespace kernel_audit::sim
