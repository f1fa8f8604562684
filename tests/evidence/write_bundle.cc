// Writes a small bundle, or reads one: what tests/bundle_writer_test.py makes fail at every system call.
//   write_bundle write|read FOLDER
#include <cstdio>
#include <string>

#include "kernel_audit/evidence/bundle_reader.h"
#include "kernel_audit/evidence/bundle_writer.h"
#include "kernel_audit/evidence/derived.h"
#include "kernel_audit/evidence/evidence_testing.h"

namespace {

using namespace kernel_audit;

core::Result<void> Do(const std::string& what, const std::string& folder) {
  if (what == "write") return evidence::WriteBundle(folder, evidence::TestBundle());
  const auto bundle = evidence::ReadBundle(folder);
  if (!bundle) return tl::unexpected(bundle.error());
  return evidence::VerifyFigures(*bundle);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 3) return 3;
  const auto done = Do(argv[1], argv[2]);
  if (!done) std::fprintf(stderr, "%s\n", done.error().message.c_str());
  return done ? 0 : 1;
}
