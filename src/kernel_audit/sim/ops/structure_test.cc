#include "kernel_audit/sim/ops/structure.h"

#include <gtest/gtest.h>

#include <cstring>
#include <functional>
#include <numeric>
#include <random>
#include <vector>

#include "kernel_audit/core/bfloat16.h"
#include "kernel_audit/core/error.h"

namespace kernel_audit::sim::ops {
namespace {

using Bytes = std::vector<std::uint8_t>;
using Index = std::vector<std::int64_t>;

Bytes RandomElements(const Shape& shape, std::size_t size, unsigned seed) {
  std::mt19937 random(seed);
  Bytes bytes(static_cast<std::size_t>(core::NumElements(shape)) * size);
  for (std::uint8_t& byte : bytes) byte = static_cast<std::uint8_t>(random());
  return bytes;
}

// The flat position of an index; the index of a flat position.
std::size_t Flat(const Shape& shape, const Index& index) {
  std::int64_t flat = 0;
  for (std::size_t i = 0; i < shape.size(); ++i) flat = flat * shape[i] + index[i];
  return static_cast<std::size_t>(flat);
}
Index Unflat(const Shape& shape, std::size_t flat) {
  Index index(shape.size());
  for (std::size_t i = shape.size(); i-- > 0;) {
    index[i] = static_cast<std::int64_t>(flat) % shape[i];
    flat /= static_cast<std::size_t>(shape[i]);
  }
  return index;
}

// Every element of `result` (shape `to`) is the element of `source` (shape `from`) that `origin` names.
void ExpectMoved(const Bytes& result, const Shape& to, const Bytes& source, const Shape& from, std::size_t size,
                 const std::function<Index(Index)>& origin) {
  for (std::size_t i = 0; i < result.size() / size; ++i) {
    const std::size_t at = Flat(from, origin(Unflat(to, i)));
    ASSERT_EQ(std::memcmp(&result[i * size], &source[at * size], size), 0) << "element " << i << " of " << core::ToString(to);
  }
}

constexpr std::size_t kSizes[] = {1, 2, 4, 8};

TEST(Structure, Broadcasts) {
  const std::pair<Shape, Shape> cases[] = {{{}, {3, 5}},        {{1}, {7}},           {{5}, {3, 5}},          {{1, 5}, {3, 5}},
                                           {{3, 1}, {3, 5}},    {{3, 1, 5}, {2, 3, 4, 5}}, {{1, 1}, {8, 128}}, {{2, 1, 3, 1}, {2, 4, 3, 5}},
                                           {{4, 6}, {4, 6}},    {{1, 0}, {3, 0}},     {{1, 1, 1, 1, 1, 1, 1, 2}, {2, 1, 2, 1, 2, 1, 2, 2}}};
  for (const auto& [from, to] : cases) {
    for (const std::size_t size : kSizes) {
      const Bytes source = RandomElements(from, size, 1);
      Bytes result(static_cast<std::size_t>(core::NumElements(to)) * size);
      Broadcast(result.data(), to, source.data(), from, size);
      ExpectMoved(result, to, source, from, size, [&, &shape = from](Index index) {
        index.erase(index.begin(), index.end() - static_cast<std::ptrdiff_t>(shape.size()));
        for (std::size_t i = 0; i < index.size(); ++i) index[i] = shape[i] == 1 ? 0 : index[i];
        return index;
      });
    }
  }
}

TEST(Structure, Transposes) {
  for (const Shape& from : {Shape{33, 47}, Shape{3, 17, 20}, Shape{2, 3, 4, 5}, Shape{1, 6, 1, 7}, Shape{8, 0}, Shape{5}, Shape{}}) {
    Index permutation(from.size());
    std::iota(permutation.begin(), permutation.end(), 0);
    do {
      for (const std::size_t size : kSizes) {
        Shape to(from.size());
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = from[static_cast<std::size_t>(permutation[i])];
        const Bytes source = RandomElements(from, size, 2);
        Bytes result(source.size());
        Transpose(result.data(), source.data(), from, permutation, size);
        ExpectMoved(result, to, source, from, size, [&](const Index& index) {
          Index origin(index.size());
          for (std::size_t i = 0; i < index.size(); ++i) origin[static_cast<std::size_t>(permutation[i])] = index[i];
          return origin;
        });
      }
    } while (std::next_permutation(permutation.begin(), permutation.end()));
  }
}

TEST(Structure, ExtractsSlices) {
  struct Case {
    Shape from;
    Index offsets, sizes;
  };
  const Case cases[] = {{{9}, {2}, {5}},       {{6, 7}, {1, 2}, {3, 4}},    {{6, 7}, {2}, {3}},          {{4, 5, 6}, {1, 0, 3}, {2, 5, 1}},
                        {{4, 5}, {0, 0}, {4, 5}}, {{4, 5}, {4, 0}, {0, 5}}, {{2, 3, 4, 5}, {1, 1, 1, 1}, {1, 2, 2, 3}}};
  for (const Case& c : cases) {
    for (const std::size_t size : kSizes) {
      Shape to = c.from;
      std::copy(c.sizes.begin(), c.sizes.end(), to.begin());
      const Bytes source = RandomElements(c.from, size, 3);
      Bytes result(static_cast<std::size_t>(core::NumElements(to)) * size);
      ExtractSlice(result.data(), source.data(), c.from, c.offsets, c.sizes, size);
      ExpectMoved(result, to, source, c.from, size, [&](Index index) {
        for (std::size_t i = 0; i < c.offsets.size(); ++i) index[i] += c.offsets[i];
        return index;
      });
    }
  }
}

TEST(Structure, Concatenates) {
  for (std::int64_t dimension = 0; dimension < 3; ++dimension) {
    const std::size_t axis = static_cast<std::size_t>(dimension);
    std::vector<Shape> shapes(3, Shape{2, 3, 4});
    shapes[0][axis] = 5;
    shapes[2][axis] = 1;
    Shape to{2, 3, 4};
    to[axis] = 6 + Shape{2, 3, 4}[axis];
    std::vector<Bytes> sources;
    for (unsigned i = 0; i < 3; ++i) sources.push_back(RandomElements(shapes[i], 4, 10 + i));
    std::vector<Part> parts;
    for (std::size_t i = 0; i < 3; ++i) parts.push_back({sources[i].data(), shapes[i][axis]});
    Bytes result(static_cast<std::size_t>(core::NumElements(to)) * 4);
    Concatenate(result.data(), to, parts, dimension, 4);
    for (std::size_t i = 0; i < result.size() / 4; ++i) {
      Index index = Unflat(to, i);
      std::size_t part = 0;
      while (index[axis] >= shapes[part][axis]) index[axis] -= shapes[part++][axis];
      ASSERT_EQ(std::memcmp(&result[i * 4], &sources[part][Flat(shapes[part], index) * 4], 4), 0) << dimension << " " << i;
    }
  }
}

TEST(Structure, Rotates) {
  const Shape shape{3, 5, 4};
  for (std::int64_t dimension = 0; dimension < 3; ++dimension) {
    for (const std::int64_t amount : {INT64_MIN, std::int64_t{-7}, std::int64_t{0}, std::int64_t{1}, std::int64_t{4}, std::int64_t{61}, INT64_MAX}) {
      const std::size_t axis = static_cast<std::size_t>(dimension);
      const Bytes source = RandomElements(shape, 2, 4);
      Bytes result(source.size());
      Rotate(result.data(), source.data(), shape, dimension, amount, 2);
      ExpectMoved(result, shape, source, shape, 2, [&](Index index) {
        const std::int64_t step = amount % shape[axis];
        while (true) {  // the origin is the index that moves here
          for (std::int64_t i = 0; i < shape[axis]; ++i) {
            if (((i + step) % shape[axis] + shape[axis]) % shape[axis] == index[axis]) {
              index[axis] = i;
              return index;
            }
          }
        }
      });
    }
  }
}

TEST(Structure, CountsAlongADimension) {
  const Shape shape{3, 300, 2};
  for (std::int64_t dimension = 0; dimension < 3; ++dimension) {
    const std::size_t count = static_cast<std::size_t>(core::NumElements(shape));
    std::vector<std::int32_t> ints(count);
    std::vector<std::int8_t> bytes(count);
    std::vector<std::int64_t> longs(count);
    std::vector<float> floats(count);
    std::vector<std::uint16_t> narrow(count);
    Iota(ints.data(), DType::kInt32, shape, dimension);
    Iota(bytes.data(), DType::kInt8, shape, dimension);
    Iota(longs.data(), DType::kIndex, shape, dimension);
    Iota(floats.data(), DType::kFloat32, shape, dimension);
    Iota(narrow.data(), DType::kBFloat16, shape, dimension);
    for (std::size_t i = 0; i < count; ++i) {
      const std::int64_t index = Unflat(shape, i)[static_cast<std::size_t>(dimension)];
      ASSERT_EQ(ints[i], index);
      ASSERT_EQ(bytes[i], static_cast<std::int8_t>(index));
      ASSERT_EQ(longs[i], index);
      ASSERT_EQ(floats[i], static_cast<float>(index));
      ASSERT_EQ(narrow[i], core::FloatToBFloat16(static_cast<float>(index)));
    }
  }
}

TEST(Structure, BrokenPromisesAreBugs) {
  std::uint32_t block[16] = {};
  const Index outside = {2}, three = {3}, twice = {0, 0};
  EXPECT_THROW(Broadcast(block, {4}, block, {2}, 4), core::InternalError);
  EXPECT_THROW(Transpose(block, block, {2, 2}, twice, 4), core::InternalError);
  EXPECT_THROW(ExtractSlice(block, block, {4}, outside, three, 4), core::InternalError);
  EXPECT_THROW(Rotate(block, block, {4}, 1, 0, 4), core::InternalError);
  EXPECT_THROW(Iota(block, DType::kBool, {4}, 0), core::InternalError);
  EXPECT_THROW(Broadcast(block, Shape(9, 1), block, {1}, 4), core::InternalError);
}

}  // namespace
}  // namespace kernel_audit::sim::ops
