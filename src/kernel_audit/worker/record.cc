#include "kernel_audit/worker/record.h"

#include <array>

#include <fmt/core.h>

namespace kernel_audit::worker {
namespace {

constexpr std::uint32_t kMark = 0x3152414b;  // "KAR1"
constexpr std::size_t kFields = 5;
constexpr std::size_t kHeadBytes = kFields * 4;
constexpr std::uint32_t kMostClassBytes = 4096;

void Append(std::string& bytes, std::uint32_t number) {
  for (int shift = 0; shift < 32; shift += 8) bytes.push_back(static_cast<char>((number >> shift) & 0xff));
}

std::array<std::uint32_t, kFields> Head(std::string_view bytes) {
  std::array<std::uint32_t, kFields> head{};
  for (std::size_t i = 0; i < kHeadBytes; ++i) {
    head[i / 4] |= static_cast<std::uint32_t>(static_cast<unsigned char>(bytes[i])) << (8 * (i % 4));
  }
  return head;
}

bool Fits(const std::array<std::uint32_t, kFields>& head) {
  const auto [mark, kind, id, class_bytes, text_bytes] = head;
  const bool is_begin = kind == static_cast<std::uint32_t>(RecordKind::kBegin);
  return mark == kMark && kind <= static_cast<std::uint32_t>(RecordKind::kError) && class_bytes <= kMostClassBytes &&
         (!is_begin || (class_bytes == 0 && text_bytes == 0));
}

}  // namespace

std::string Encode(const Record& record) {
  const std::string_view name = std::string_view(record.error_class).substr(0, kMostClassBytes);
  std::string bytes;
  bytes.reserve(kHeadBytes + name.size() + record.text.size());
  for (const std::size_t field : {std::size_t{kMark}, static_cast<std::size_t>(record.kind), std::size_t{record.id}, name.size(),
                                  record.text.size()}) {
    Append(bytes, static_cast<std::uint32_t>(field));
  }
  return bytes.append(name).append(record.text);
}

core::Result<Records> Decode(std::string_view bytes) {
  Records all;
  while (bytes.size() >= kHeadBytes) {
    const auto head = Head(bytes);
    if (!Fits(head)) {
      return core::Fail(core::ErrorCode::kFailed, "the candidate wrote bytes of its own on the worker's descriptor 3");
    }
    const std::size_t class_bytes = head[3], text_bytes = head[4];
    if (bytes.size() - kHeadBytes < class_bytes + text_bytes) break;
    all.records.push_back({static_cast<RecordKind>(head[1]), head[2], std::string(bytes.substr(kHeadBytes, class_bytes)),
                           std::string(bytes.substr(kHeadBytes + class_bytes, text_bytes))});
    bytes.remove_prefix(kHeadBytes + class_bytes + text_bytes);
  }
  all.cut = !bytes.empty();
  return all;
}

}  // namespace kernel_audit::worker
