#include "kernel_audit/core/npy.h"

#include <algorithm>
#include <cstring>
#include <vector>

#include "kernel_audit/core/file.h"
#include "kernel_audit/core/npy_header.h"

namespace kernel_audit::core {
namespace {

Result<void> CheckSize(const NpyLayout& layout, std::uint64_t size) {
  const std::uint64_t wanted = layout.data_offset + layout.type.byte_size();
  if (size == wanted) return {};
  return Fail(ErrorCode::kBadInput, "not a valid .npy file: " + ToString(layout.type) + " takes " + std::to_string(wanted) +
                                        " bytes with the header, the file has " + std::to_string(size));
}

// Elements stored with the first index running fastest, laid out with the last one running fastest.
HostArray ToRowMajor(const HostArray& fortran) {
  HostArray result(fortran.type());
  const Shape& shape = result.shape();
  const std::size_t size = ByteSize(result.dtype());
  const std::size_t count = result.byte_size() / size;
  Shape strides(shape.size());
  std::int64_t stride = 1;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    strides[d] = stride;
    stride *= shape[d];
  }
  Shape index(shape.size());
  std::int64_t source = 0;
  for (std::size_t i = 0; i < count; ++i) {
    std::memcpy(result.data() + i * size, fortran.data() + static_cast<std::size_t>(source) * size, size);
    for (std::size_t d = shape.size(); d-- > 0;) {
      source += strides[d];
      if (++index[d] < shape[d]) break;
      source -= strides[d] * shape[d];
      index[d] = 0;
    }
  }
  return result;
}

Result<HostArray> Finish(HostArray array, bool fortran_order) {
  if (array.dtype() == DType::kBool) {
    const auto bytes = array.elements<std::uint8_t>();
    const auto wrong = std::find_if(bytes.begin(), bytes.end(), [](std::uint8_t byte) { return byte > 1; });
    if (wrong != bytes.end()) {
      return Fail(ErrorCode::kBadInput, "not a valid .npy file: bool element " + std::to_string(wrong - bytes.begin()) + " is " +
                                            std::to_string(*wrong));
    }
  }
  return fortran_order && array.shape().size() > 1 ? ToRowMajor(array) : std::move(array);
}

Result<HostArray> Read(const InputFile& file) {
  std::vector<std::byte> prefix(std::min<std::uint64_t>(file.size(), 4096));
  if (Result<void> read = file.ReadAt(0, prefix); !read) return tl::unexpected(read.error());
  Result<NpyLayout> layout = ParseNpyLayout(prefix);
  if (!layout && prefix.size() < file.size()) {
    prefix.resize(std::min<std::uint64_t>(file.size(), kMaxNpyHeaderBytes + 12));
    if (Result<void> read = file.ReadAt(0, prefix); !read) return tl::unexpected(read.error());
    layout = ParseNpyLayout(prefix);
  }
  if (!layout) return tl::unexpected(layout.error());
  if (Result<void> fits = CheckSize(*layout, file.size()); !fits) return tl::unexpected(fits.error());
  HostArray array(layout->type);
  if (Result<void> read = file.ReadAt(layout->data_offset, {array.data(), array.byte_size()}); !read) return tl::unexpected(read.error());
  return Finish(std::move(array), layout->fortran_order);
}

Error At(const std::filesystem::path& path, Error error) {
  if (error.code != ErrorCode::kIo) error.message = path.string() + ": " + error.message;
  return error;
}

}  // namespace

Result<HostArray> ParseNpy(std::span<const std::byte> bytes) {
  const Result<NpyLayout> layout = ParseNpyLayout(bytes);
  if (!layout) return tl::unexpected(layout.error());
  if (Result<void> fits = CheckSize(*layout, bytes.size()); !fits) return tl::unexpected(fits.error());
  HostArray array(layout->type);
  if (array.byte_size() > 0) std::memcpy(array.data(), bytes.data() + layout->data_offset, array.byte_size());
  return Finish(std::move(array), layout->fortran_order);
}

Result<HostArray> ReadNpy(const std::filesystem::path& path) {
  const Result<InputFile> file = InputFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  return Read(*file).map_error([&](Error error) { return At(path, std::move(error)); });
}

Result<void> WriteNpy(const std::filesystem::path& path, const HostArray& array) {
  const Result<std::string> header = NpyHeader(array.type());
  if (!header) return tl::unexpected(header.error());
  return WriteFile(path, {AsBytes(*header), {array.data(), array.byte_size()}});
}

}  // namespace kernel_audit::core
