#include "kernel_audit/report/svg.h"

namespace kernel_audit::report {

std::string EscapeXml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    if (c == '&') escaped += "&amp;";
    else if (c == '<') escaped += "&lt;";
    else if (c == '>') escaped += "&gt;";
    else if (static_cast<unsigned char>(c) < 0x20) escaped += '?';
    else escaped += c;
  }
  return escaped;
}

std::string SvgNumber(double value) {
  std::string text = std::to_string(value);
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

}  // namespace kernel_audit::report
