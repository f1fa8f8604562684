// What a worker writes on descriptor 3: records of a fixed head (five little-endian 32-bit numbers: mark, kind, id, size of the class,
// size of the text) and two texts.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/error.h"

namespace kernel_audit::worker {

enum class RecordKind : std::uint32_t {
  kBegin,    // a request is taken up; no texts
  kModule,   // text: the module
  kRefusal,  // the candidate threw TraceError or std::invalid_argument; class and what()
  kError,    // it threw something else, or the function is not there ("undefined")
};

struct Record {
  RecordKind kind = RecordKind::kBegin;
  std::uint32_t id = 0;     // of the request, from 0
  std::string error_class;  // the exception's type as C++ spells it
  std::string text;
  bool operator==(const Record&) const = default;
};

std::string Encode(const Record& record);

struct Records {
  std::vector<Record> records;
  bool cut = false;  // the bytes end inside a record
};

// Reads untrusted bytes to their end. kFailed when they are not records.
core::Result<Records> Decode(std::string_view bytes);

}  // namespace kernel_audit::worker
