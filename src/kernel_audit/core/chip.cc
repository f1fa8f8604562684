#include "kernel_audit/core/chip.h"

#include <algorithm>
#include <array>

namespace kernel_audit::core {
namespace {

constexpr std::int64_t kKi = 1024, kMi = kKi * 1024;
constexpr std::int64_t kMega = 1'000'000, kGiga = 1000 * kMega, kTera = 1000 * kGiga;

// name, generation, cores, megacore, MXU, VMEM, SMEM, HBM, HBM bytes/s, bfloat16/s, scoped VMEM
constexpr std::array<Chip, 8> kChips = {{
    {"v2", 2, 2, false, 128, 16 * kMi, 16 * kKi, 8 * kGiga, 358 * kGiga, 23 * kTera, 0},
    {"v3", 3, 2, false, 128, 16 * kMi, 16 * kKi, 17'200 * kMega, 412'500 * kMega, 70 * kTera, 0},
    {"v4i", 4, 1, false, 128, 16 * kMi, kMi, 8'590 * kMega, 614 * kGiga, 137 * kTera, 0},
    {"v4", 4, 2, true, 128, 16 * kMi, kMi, 17'200 * kMega, 615 * kGiga, 137'500 * kGiga, 16 * kMi},
    {"v5e", 5, 1, false, 128, 128 * kMi, kMi, 17'200 * kMega, 820 * kGiga, 197 * kTera, 16 * kMi},
    {"v5p", 5, 2, true, 128, 64 * kMi, kMi, 51'500 * kMega, 1'230 * kGiga, 229'500 * kGiga, 16 * kMi},
    {"v6e", 6, 1, false, 256, 128 * kMi, kMi, 34'400 * kMega, 1'640 * kGiga, 920 * kTera, 32 * kMi},
    {"7x", 7, 2, false, 256, 64 * kMi, kMi, 103 * kGiga, 3'700 * kGiga, 1'155 * kTera, 32 * kMi},
}};

}  // namespace

std::int64_t SublaneTile(const Chip& chip, DType dtype) {
  const auto bytes = static_cast<std::int64_t>(std::clamp<std::size_t>(ByteSize(dtype), 1, 4));
  const bool packs = bytes == 1 || (bytes == 2 && chip.generation >= 7);
  return packs ? Chip::kSublanes * 4 / bytes : Chip::kSublanes;
}

std::span<const Chip> AllChips() { return kChips; }

Result<const Chip*> FindChip(std::string_view name) {
  std::string names;
  for (const Chip& chip : kChips) {
    if (chip.name == name) return &chip;
    names += (names.empty() ? "" : ", ") + std::string(chip.name);
  }
  return Fail(ErrorCode::kBadInput, "no chip is called '" + std::string(name) + "'; there are " + names);
}

const Chip& DefaultChip() { return **FindChip("v5e"); }

}  // namespace kernel_audit::core
