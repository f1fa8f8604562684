#include "kernel_audit/import/kernel_types.h"

#include <algorithm>

namespace kernel_audit::import {
namespace {

using core::ErrorCode;

core::Result<core::DType> KernelDType(const MlirType& type) {
  const bool is_unsigned = type.dtype && *type.dtype >= core::DType::kUInt8 && *type.dtype <= core::DType::kUInt64;
  if (type.kind == MlirType::Kind::kScalar && type.dtype && !is_unsigned) return *type.dtype;
  return core::Fail(ErrorCode::kUnsupported, "element type '" + type.text + "' is not supported");
}

core::Result<ir::MemorySpace> Space(const Attribute* attribute) {
  const auto name = attribute == nullptr ? std::nullopt : OpaqueBody(*attribute, "#tpu.memory_space");
  using enum ir::MemorySpace;
  for (const ir::MemorySpace space : {kAny, kHbm, kVmem, kSmem, kSemaphore}) {
    if (name == ir::Name(space)) return space;
  }
  return core::Fail(ErrorCode::kUnsupported, "memory space '" + name.value_or(attribute == nullptr ? "none" : "?") + "' is not supported");
}

// `affine_map<(d0, d1) -> (d0, d1)>`
bool IsIdentity(const Attribute& layout, std::size_t rank) {
  std::string dimensions;
  for (std::size_t i = 0; i < rank; ++i) dimensions += (i == 0 ? "d" : ",d") + std::to_string(i);
  std::string text = layout.text;
  std::erase(text, ' ');
  return layout.kind == Attribute::Kind::kOpaque && text == "affine_map<(" + dimensions + ")->(" + dimensions + ")>";
}

}  // namespace

std::optional<std::string> OpaqueBody(const Attribute& attribute, std::string_view prefix) {
  const std::string& text = attribute.text;
  if (attribute.kind != Attribute::Kind::kOpaque || !text.starts_with(prefix) || text.size() < prefix.size() + 2) return std::nullopt;
  if (text[prefix.size()] != '<' || text.back() != '>') return std::nullopt;
  return text.substr(prefix.size() + 1, text.size() - prefix.size() - 2);
}

core::Result<ir::Type> ToIrType(const MlirType& type) {
  if (type.kind == MlirType::Kind::kScalar) return KernelDType(type).map([](core::DType dtype) { return ir::Type::Scalar(dtype); });
  if (type.kind != MlirType::Kind::kVector && type.kind != MlirType::Kind::kMemRef) {
    return core::Fail(ErrorCode::kUnsupported, "a type that is not a scalar, a vector or a memref");
  }
  const auto dtype = KernelDType(*type.element);
  if (!dtype) return tl::unexpected(dtype.error());
  if (type.layout != nullptr && !IsIdentity(*type.layout, type.shape.size())) {
    return core::Fail(ErrorCode::kUnsupported, "layout '" + type.layout->text + "': only row-major references are supported");
  }
  if (type.kind == MlirType::Kind::kVector) return ir::Type::Vector(*dtype, type.shape);
  return Space(type.space.get()).map([&](ir::MemorySpace space) { return ir::Type::Ref(*dtype, type.shape, space); });
}

core::Result<core::ArrayType> ToArrayType(const MlirType& type) {
  if (type.kind != MlirType::Kind::kTensor) return core::Fail(ErrorCode::kUnsupported, "a value that is not a ranked tensor");
  if (type.layout != nullptr) return core::Fail(ErrorCode::kUnsupported, "a tensor type with an encoding");
  if (type.element->kind != MlirType::Kind::kScalar || !type.element->dtype || core::IsSemaphore(*type.element->dtype)) {
    return core::Fail(ErrorCode::kUnsupported, "a tensor of element type '" + type.element->text + "'");
  }
  if (core::CheckedNumElements(type.shape) < 0) {
    return core::Fail(ErrorCode::kUnsupported, "a tensor with dynamic or too large extents: " + core::ToString(type.shape));
  }
  return core::ArrayType{*type.element->dtype, type.shape};
}

}  // namespace kernel_audit::import
