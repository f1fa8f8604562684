#include "kernel_audit/pjrt/client.h"

#include <set>

#include "kernel_audit/pjrt/test_support.h"

namespace kernel_audit::pjrt {
namespace {

using core::DType;
using core::ErrorCode;
using ::testing::HasSubstr;

class ClientTest : public PluginTest {};

TEST_F(ClientTest, NamesItsPlatform) {
  const Client client = MakeClient();
  EXPECT_EQ(client.platform_name(), "cpu");
  EXPECT_FALSE(client.platform_version().empty());
  EXPECT_EQ(client.device_count(), client.devices().size());
}

TEST_F(ClientTest, MakesAsManyCpuDevicesAsAskedFor) {
  for (std::int64_t count : {1, 4, 7}) {
    const Client client = MakeClient({.cpu_device_count = count});
    EXPECT_EQ(client.device_count(), static_cast<std::size_t>(count));
    std::set<int> ids;
    for (const Device& device : client.devices()) {
      ids.insert(device.id);
      EXPECT_FALSE(device.kind.empty());
    }
    EXPECT_EQ(ids.size(), static_cast<std::size_t>(count));
  }
}

TEST_F(ClientTest, RefusesDeviceCountsOutOfRange) {
  for (std::int64_t count : {-1, 0, 1025}) {
    auto client = Client::Create(plugin(), {.cpu_device_count = count});
    ASSERT_FALSE(client);
    EXPECT_EQ(client.error().code, ErrorCode::kBadInput);
  }
}

TEST_F(ClientTest, EveryDeviceHoldsArrays) {
  const Client client = MakeClient({.cpu_device_count = 4});
  const core::HostArray array = MakeArray<std::int32_t>(DType::kInt32, {2, 2}, {1, 2, 3, 4});
  for (std::size_t i = 0; i < 4; ++i) {
    const Buffer buffer = Unwrap(client.FromHost(array, i));
    EXPECT_EQ(Values<std::int32_t>(Unwrap(buffer.ToHost())), (std::vector<std::int32_t>{1, 2, 3, 4}));
  }
  auto beyond = client.FromHost(array, 4);
  ASSERT_FALSE(beyond);
  EXPECT_EQ(beyond.error().message, "there is no device 4; this client has 4");
}

TEST_F(ClientTest, EveryElementTypeComesBackBitForBit) {
  const Client client = MakeClient();
  for (DType dtype : {DType::kBool, DType::kInt8, DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kUInt16, DType::kUInt32,
                      DType::kUInt64, DType::kBFloat16, DType::kFloat16, DType::kFloat32, DType::kFloat64}) {
    core::HostArray array({dtype, {3, 5}});
    for (std::size_t i = 0; i < array.byte_size(); ++i) {
      array.data()[i] = static_cast<std::byte>(dtype == DType::kBool ? i % 2 : 37 * i + 11);
    }
    const Buffer buffer = Unwrap(client.FromHost(array));
    EXPECT_EQ(Unwrap(buffer.Type()), array.type());
    const core::HostArray back = Unwrap(buffer.ToHost());
    EXPECT_EQ(back.type(), array.type());
    EXPECT_EQ(Values<std::byte>(back), Values<std::byte>(array)) << core::Name(dtype);
  }
}

TEST_F(ClientTest, RefusesElementTypesThatXlaLacks) {
  const Client client = MakeClient();
  for (DType dtype : {DType::kIndex, DType::kSemaphore, DType::kDmaSemaphore}) {
    auto buffer = client.FromHost(core::HostArray({dtype, {2}}));
    ASSERT_FALSE(buffer);
    EXPECT_EQ(buffer.error().code, ErrorCode::kUnsupported);
    EXPECT_THAT(buffer.error().message, HasSubstr(std::string(core::Name(dtype))));
  }
}

TEST_F(ClientTest, RefusesArraysWithoutStorage) {
  const Client client = MakeClient();
  EXPECT_EQ(client.FromHost(core::HostArray()).error().code, ErrorCode::kBadInput);
  core::HostArray array({DType::kFloat32, {}});
  const core::HostArray taken = std::move(array);
  EXPECT_EQ(client.FromHost(array).error().code, ErrorCode::kBadInput);
}

TEST_F(ClientTest, ScalarsAndEmptyArraysComeBack) {
  const Client client = MakeClient();
  const core::HostArray scalar = MakeArray<float>(DType::kFloat32, {}, {2.5f});
  const core::HostArray back = Unwrap(Unwrap(client.FromHost(scalar)).ToHost());
  EXPECT_EQ(back.type(), scalar.type());
  EXPECT_EQ(Values<float>(back), std::vector<float>{2.5f});

  for (const core::Shape& shape : {core::Shape{0}, core::Shape{3, 0}, core::Shape{0, 4}}) {
    const core::HostArray empty({DType::kFloat32, shape});
    EXPECT_EQ(Unwrap(Unwrap(client.FromHost(empty)).ToHost()).type(), empty.type());
  }
}

TEST_F(ClientTest, TheHostArrayMayChangeAtOnce) {
  const Client client = MakeClient();
  core::HostArray array({DType::kInt32, {1 << 20}});
  const Buffer buffer = Unwrap(client.FromHost(array));
  std::memset(array.data(), 0xff, array.byte_size());
  for (std::int32_t value : Values<std::int32_t>(Unwrap(buffer.ToHost()))) ASSERT_EQ(value, 0);
}

TEST_F(ClientTest, BuffersOutliveTheirClientObject) {
  std::vector<Buffer> kept;
  {
    const Client client = MakeClient();
    kept.push_back(Unwrap(client.FromHost(MakeArray<float>(DType::kFloat32, {2}, {1, 2}))));
  }
  EXPECT_EQ(Values<float>(Unwrap(kept[0].ToHost())), (std::vector<float>{1, 2}));
}

TEST_F(ClientTest, MovedFromBufferIsRefused) {
  const Client client = MakeClient();
  Buffer buffer = Unwrap(client.FromHost(MakeArray<float>(DType::kFloat32, {2}, {1, 2})));
  const Buffer taken = std::move(buffer);
  EXPECT_EQ(buffer.ToHost().error().code, ErrorCode::kBadInput);
}

}  // namespace
}  // namespace kernel_audit::pjrt
