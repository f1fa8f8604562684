#include "kernel_audit/pjrt/buffer.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "kernel_audit/pjrt/call.h"
#include "kernel_audit/pjrt/client.h"
#include "kernel_audit/pjrt/element_type.h"
#include "kernel_audit/pjrt/enum_number.h"

namespace kernel_audit::pjrt {
namespace {

core::Result<core::DType> ElementType(const BufferHandle& buffer) {
  PJRT_Buffer_ElementType_Args args{};
  args.buffer = buffer.get();
  if (auto asked = Call(buffer.plugin(), KA_PJRT_ENTRY(PJRT_Buffer_ElementType), args); !asked) {
    return tl::unexpected(std::move(asked.error()));
  }
  const std::int64_t type = EnumNumber(args.type);
  if (auto dtype = FromBufferType(type)) return *dtype;
  return core::Fail(core::ErrorCode::kUnsupported,
                    "a device array has PJRT element type " + std::to_string(type) + ", which this program cannot hold");
}

core::Result<core::Shape> Dimensions(const BufferHandle& buffer) {
  PJRT_Buffer_Dimensions_Args args{};
  args.buffer = buffer.get();
  if (auto asked = Call(buffer.plugin(), KA_PJRT_ENTRY(PJRT_Buffer_Dimensions), args); !asked) {
    return tl::unexpected(std::move(asked.error()));
  }
  core::Shape shape(args.dims, args.dims + args.num_dims);
  if (core::CheckedNumElements(shape) >= 0) return shape;
  return core::Fail(core::ErrorCode::kPlugin, "the plugin reports a device array of impossible shape " + core::ToString(shape));
}

using MinorToMajor = std::vector<std::int64_t>;

MinorToMajor RowMajor(std::size_t rank) {
  MinorToMajor order;
  for (std::size_t i = rank; i-- > 0;) order.push_back(static_cast<std::int64_t>(i));
  return order;
}

bool IsPermutation(MinorToMajor order, std::size_t rank) {
  std::sort(order.rbegin(), order.rend());
  return order == RowMajor(rank);
}

// The order of the dimensions on the device; row-major where the plugin does not tell.
MinorToMajor DeviceOrder(const BufferHandle& buffer, std::size_t rank) {
  PJRT_Buffer_GetMemoryLayout_Args args{};
  args.buffer = buffer.get();
  if (!Call(buffer.plugin(), KA_PJRT_ENTRY(PJRT_Buffer_GetMemoryLayout), args)) return RowMajor(rank);
  if (EnumNumber(args.layout.type) != PJRT_Buffer_MemoryLayout_Type_Tiled) return RowMajor(rank);
  const PJRT_Buffer_MemoryLayout_Tiled& tiled = args.layout.tiled;
  MinorToMajor order(tiled.minor_to_major, tiled.minor_to_major + tiled.minor_to_major_size);
  return IsPermutation(order, rank) ? order : RowMajor(rank);
}

core::Result<void> CopyToHost(const BufferHandle& buffer, const MinorToMajor& order, core::HostArray& array) {
  PJRT_Buffer_MemoryLayout layout{};
  layout.struct_size = PJRT_Buffer_MemoryLayout_STRUCT_SIZE;
  layout.type = PJRT_Buffer_MemoryLayout_Type_Tiled;
  layout.tiled.struct_size = PJRT_Buffer_MemoryLayout_Tiled_STRUCT_SIZE;
  layout.tiled.minor_to_major = order.data();
  layout.tiled.minor_to_major_size = order.size();
  PJRT_Buffer_ToHostBuffer_Args args{};
  args.src = buffer.get();
  args.host_layout = &layout;
  args.dst = array.data();
  args.dst_size = array.byte_size();
  if (auto copied = Call(buffer.plugin(), KA_PJRT_ENTRY(PJRT_Buffer_ToHostBuffer), args); !copied) return copied;
  return Await(EventHandle(buffer.plugin(), args.event));
}

// `from` holds the elements of an array of to's type, dense, its dimensions in `order`.
void Transpose(const core::HostArray& from, const MinorToMajor& order, core::HostArray& to) {
  const core::Shape& shape = to.shape();
  core::Shape strides(shape.size());
  std::int64_t stride = 1;
  for (std::int64_t dimension : order) {
    strides[dimension] = stride;
    stride *= shape[dimension];
  }
  const std::size_t size = core::ByteSize(to.dtype());
  core::Shape index(shape.size());
  for (std::size_t offset = 0; offset < to.byte_size(); offset += size) {
    const auto source = std::inner_product(index.begin(), index.end(), strides.begin(), std::int64_t{0});
    std::memcpy(to.data() + offset, from.data() + static_cast<std::size_t>(source) * size, size);
    for (std::size_t i = shape.size(); i-- > 0 && ++index[i] == shape[i];) index[i] = 0;
  }
}

core::Result<EventHandle> ReadyEvent(const BufferHandle& buffer) {
  PJRT_Buffer_ReadyEvent_Args args{};
  args.buffer = buffer.get();
  if (auto asked = Call(buffer.plugin(), KA_PJRT_ENTRY(PJRT_Buffer_ReadyEvent), args); !asked) return tl::unexpected(std::move(asked.error()));
  return EventHandle(buffer.plugin(), args.event);
}

}  // namespace

Buffer::Buffer(std::shared_ptr<const ClientState> client, BufferHandle handle)
    : client_(std::move(client)), handle_(std::move(handle)) {}

core::Result<core::ArrayType> Buffer::Type() const {
  if (raw() == nullptr) return core::Fail(core::ErrorCode::kBadInput, "a device array was used after it was moved away");
  auto dtype = ElementType(handle_);
  if (!dtype) return tl::unexpected(std::move(dtype.error()));
  auto shape = Dimensions(handle_);
  if (!shape) return tl::unexpected(std::move(shape.error()));
  return core::ArrayType{*dtype, std::move(*shape)};
}

core::Result<void> Buffer::AwaitReady() const {
  auto event = ReadyEvent(handle_);
  if (!event) return tl::unexpected(std::move(event.error()));
  return Await(std::move(*event));
}

core::Result<bool> Buffer::IsReady() const {
  auto event = ReadyEvent(handle_);
  if (!event) return tl::unexpected(std::move(event.error()));
  PJRT_Event_IsReady_Args args{};
  args.event = event->get();
  if (auto asked = Call(handle_.plugin(), KA_PJRT_ENTRY(PJRT_Event_IsReady), args); !asked) return tl::unexpected(std::move(asked.error()));
  return args.is_ready;
}

core::Result<bool> Buffer::IsOnDevice(std::size_t device) const {
  PJRT_Buffer_IsOnCpu_Args cpu{};
  cpu.buffer = raw();
  if (auto asked = Call(handle_.plugin(), KA_PJRT_ENTRY(PJRT_Buffer_IsOnCpu), cpu); !asked) return tl::unexpected(std::move(asked.error()));
  PJRT_Buffer_Device_Args args{};
  args.buffer = raw();
  if (auto asked = Call(handle_.plugin(), KA_PJRT_ENTRY(PJRT_Buffer_Device), args); !asked) return tl::unexpected(std::move(asked.error()));
  return !cpu.is_on_cpu && device < client_->raw_devices.size() && args.device == client_->raw_devices[device];
}

core::Result<core::HostArray> Buffer::ToHost() const {
  auto type = Type();
  if (!type) return tl::unexpected(std::move(type.error()));
  core::HostArray array(*type);
  // Some plugins ignore the layout that is asked for: ask for the one the device has, which all give, and turn it here.
  const MinorToMajor order = DeviceOrder(handle_, type->shape.size());
  if (auto copied = CopyToHost(handle_, order, array); !copied) return tl::unexpected(std::move(copied.error()));
  if (order == RowMajor(type->shape.size())) return array;
  core::HostArray turned(std::move(*type));
  Transpose(array, order, turned);
  return turned;
}

}  // namespace kernel_audit::pjrt
