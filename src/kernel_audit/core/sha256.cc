#include "kernel_audit/core/sha256.h"

#include <openssl/evp.h>

#include <algorithm>
#include <array>
#include <memory>
#include <vector>

#include "kernel_audit/core/file.h"

namespace kernel_audit::core {
namespace {

void Check(int status) {
  if (status != 1) throw InternalError("OpenSSL could not compute a SHA-256 digest");
}

class Hasher {
 public:
  Hasher() { Check(EVP_DigestInit_ex(context_.get(), EVP_sha256(), nullptr)); }

  void Update(std::span<const std::byte> bytes) { Check(EVP_DigestUpdate(context_.get(), bytes.data(), bytes.size())); }

  std::string Finish() {
    std::array<unsigned char, 32> digest;
    Check(EVP_DigestFinal_ex(context_.get(), digest.data(), nullptr));
    std::string hex;
    for (unsigned char byte : digest) {
      hex += "0123456789abcdef"[byte >> 4];
      hex += "0123456789abcdef"[byte & 15];
    }
    return hex;
  }

 private:
  struct Free {
    void operator()(EVP_MD_CTX* context) const { EVP_MD_CTX_free(context); }
  };
  std::unique_ptr<EVP_MD_CTX, Free> context_{EVP_MD_CTX_new()};
};

}  // namespace

std::string Sha256(std::span<const std::byte> bytes) {
  Hasher hasher;
  hasher.Update(bytes);
  return hasher.Finish();
}

std::string Sha256(std::string_view text) { return Sha256(AsBytes(text)); }

Result<std::string> Sha256OfFile(const std::filesystem::path& path) {
  const Result<InputFile> file = InputFile::Open(path);
  if (!file) return tl::unexpected(file.error());
  Hasher hasher;
  std::vector<std::byte> piece(std::min<std::uint64_t>(file->size(), 1 << 20));
  for (std::uint64_t offset = 0; offset < file->size(); offset += piece.size()) {
    piece.resize(std::min<std::uint64_t>(file->size() - offset, piece.size()));
    if (Result<void> read = file->ReadAt(offset, piece); !read) return tl::unexpected(read.error());
    hasher.Update(piece);
  }
  return hasher.Finish();
}

}  // namespace kernel_audit::core
