// What the parts of the HTML report share.
#pragma once

#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "kernel_audit/core/json.h"
#include "kernel_audit/evidence/bundle.h"

namespace kernel_audit::report {

// A document and where the page says that it is from.
struct Document {
  std::string key;  // "0/simulated/check.json": the bundle's number and the file
  core::Json json;
};

// Text for an element's content or an attribute.
std::string EscapeHtml(std::string_view text);

// The value at a JSON pointer, in an element that says where it is from: the page's numbers are the document's.
std::string Figure(const Document& document, const std::string& pointer);

// A table in a box that scrolls on its own. Cells are HTML.
std::string Table(const std::string& caption, const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows);

// "<section ...>" with a heading of level 2, an id and the tier's colour.
std::string Section(const std::string& id, const std::string& title, std::string_view tier, const std::string& body);

// A part that opens on demand.
std::string Details(const std::string& summary, const std::string& body, bool open = false);

// An SVG document as a figure: identifiers of its own, words for those who don't see it, and a line that says what is under the pointer.
std::string Picture(const std::string& svg, const std::string& id, const std::string& caption);

// "ok" or "FAIL", in words and colour.
std::string Mark(bool passed);

// The parts, by what they draw. Each takes documents of its own tier.
std::string CheckPart(const evidence::Bundle& bundle, const Document& document);
std::string RunPart(const Document& document);
std::string EstimatePart(const Document& document);
std::string CompiledPart(const Document& document);
std::string ExecutedPart(const Document& document);

// A table of the findings in these arrays, each beside the line of `source` that it points at where `file` is the source's name; no source:
// places alone. What is the same thing at the same places in several arrays is one row.
std::string FindingsPart(const Document& document, const std::vector<std::string>& pointers, const std::string& file, const std::string& source);

// Copies between HBM and windows, and memory, of one kernel's run at this pointer.
std::vector<std::vector<std::string>> TrafficRows(const Document& document, const std::string& pointer);

extern const char* const kStyle;
extern const char* const kScript;

}  // namespace kernel_audit::report
