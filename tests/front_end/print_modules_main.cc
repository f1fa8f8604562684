// Prints every program's module: what determinism_test.cc builds with one compiler after the other.
#include <cstdio>

#include "front_end/kernels.h"

int main() {
  for (const front_end_tests::Program& program : front_end_tests::AllPrograms()) {
    std::fputs(front_end_tests::ModuleOf(program).c_str(), stdout);
  }
}
