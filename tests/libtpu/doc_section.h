// Tables of docs/compile.md that these tests make.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include <gtest/gtest.h>

#include "kernel_audit/core/file.h"

namespace kernel_audit::testing {

// What stands between <!-- NAME: made by tests/libtpu --> and the next <!-- end --> is `table`; KA_UPDATE_DOCS=1 writes it there.
inline void ExpectSection(const std::string& name, const std::string& table) {
  const std::filesystem::path path = std::filesystem::path(KA_SOURCE_DIR) / "docs" / "compile.md";
  const std::string text = core::ReadFile(path, 1 << 20).value_or(""), mark = "<!-- " + name + ": made by tests/libtpu -->\n";
  const std::size_t begin = text.find(mark), end = text.find("<!-- end -->\n", begin);
  ASSERT_NE(begin, std::string::npos) << name;
  ASSERT_NE(end, std::string::npos) << name;
  const std::size_t first = begin + mark.size();
  if (std::getenv("KA_UPDATE_DOCS") != nullptr) {
    std::ofstream(path, std::ios::binary) << text.substr(0, first) << table << text.substr(end);
  } else {
    EXPECT_EQ(text.substr(first, end - first), table) << "run it once with KA_UPDATE_DOCS=1";
  }
}

}  // namespace kernel_audit::testing
