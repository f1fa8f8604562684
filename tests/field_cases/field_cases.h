// Short cuts for kernels of the cases from the field.
#pragma once

#include "simulate.h"

namespace kernel_audit::testing {

using ::testing::ElementsAre;
using ::testing::IsEmpty;

class FieldCase : public SimulatedTest {};

// Index maps from the grid indices to themselves.
inline pl::BlockSpec Tile(const pl::Block& block) {
  return pl::BlockSpec(block, [](const std::vector<pl::Index>& grid) { return pl::Indices(grid.begin(), grid.end()); });
}

// An index map of one grid dimension that looks `table` up and gives (table[i], 0).
inline pl::BlockSpec Lookup(const pl::Block& block, const std::vector<int>& table) {
  return pl::BlockSpec(block, [table](pl::Index i) {
    pl::Value index = i * 0 + table.back();
    for (std::size_t k = table.size() - 1; k-- > 0;) index = pl::where(i == static_cast<int>(k), table[k], index);
    return pl::indices(index, 0);
  });
}

// out = in.
inline void Copy(pl::Ref x, pl::Ref z) { z.store(x.load()); }
inline void AddOne(pl::Ref x, pl::Ref z) { z.store(x.load() + 1.0f); }

// Every `step`-th element from the first on.
inline std::vector<double> Every(const std::vector<double>& values, std::size_t step) {
  std::vector<double> picked;
  for (std::size_t i = 0; i < values.size(); i += step) picked.push_back(values[i]);
  return picked;
}

inline std::size_t CountDifferent(const std::vector<double>& a, const std::vector<double>& b) {
  std::size_t count = 0;
  for (std::size_t i = 0; i < a.size(); ++i) count += a[i] == b[i] ? 0 : 1;
  return count;
}

}  // namespace kernel_audit::testing
