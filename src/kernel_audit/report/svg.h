// What the writers of SVG share.
#pragma once

#include <string>
#include <string_view>

namespace kernel_audit::report {

// Fit for an element's content: control characters, which XML forbids, become `?`.
std::string EscapeXml(std::string_view text);

// At most six decimals, none that are zero.
std::string SvgNumber(double value);

}  // namespace kernel_audit::report
