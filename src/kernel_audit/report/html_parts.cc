#include "kernel_audit/report/html_parts.h"

namespace kernel_audit::report {

using core::Json;

std::string EscapeHtml(std::string_view text) {
  std::string escaped;
  for (const char c : text) {
    switch (c) {
      case '&': escaped += "&amp;"; break;
      case '<': escaped += "&lt;"; break;
      case '>': escaped += "&gt;"; break;
      case '"': escaped += "&quot;"; break;
      case '\'': escaped += "&#39;"; break;
      default: escaped += static_cast<unsigned char>(c) < 0x20 && c != '\n' ? '?' : c;
    }
  }
  return escaped;
}

std::string Figure(const Document& document, const std::string& pointer) {
  const Json& value = document.json.at(Json::json_pointer(pointer));
  const std::string text = value.is_string() ? value.get<std::string>() : core::CanonicalJson(value);
  return "<span class=\"figure\" data-document=\"" + EscapeHtml(document.key) + "\" data-pointer=\"" + EscapeHtml(pointer) + "\">" + EscapeHtml(text) + "</span>";
}

std::string Table(const std::string& caption, const std::vector<std::string>& head, const std::vector<std::vector<std::string>>& rows) {
  std::string text = "<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + EscapeHtml(caption) + "\"><table><caption>" + EscapeHtml(caption) + "</caption><thead><tr>";
  for (const std::string& cell : head) text += "<th scope=\"col\">" + EscapeHtml(cell) + "</th>";
  text += "</tr></thead><tbody>";
  for (const auto& row : rows) {
    text += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) text += i == 0 ? "<th scope=\"row\">" + row[i] + "</th>" : "<td>" + row[i] + "</td>";
    text += "</tr>\n";
  }
  return text + "</tbody></table></div>\n";
}

std::string Section(const std::string& id, const std::string& title, std::string_view tier, const std::string& body) {
  return "<section id=\"" + id + "\" class=\"" + std::string(tier) + "\" aria-labelledby=\"" + id + "-title\">\n<h2 id=\"" + id + "-title\">" + EscapeHtml(title) +
         (tier.empty() ? "" : " <span class=\"tier\">" + std::string(tier) + "</span>") + "</h2>\n" + body + "</section>\n";
}

std::string Details(const std::string& summary, const std::string& body, bool open) {
  return std::string("<details") + (open ? " open" : "") + "><summary>" + summary + "</summary>\n" + body + "</details>\n";
}

std::string Picture(const std::string& svg, const std::string& id, const std::string& caption) {
  std::string own = svg;
  const auto replace = [&](const std::string& from, const std::string& to) {
    for (std::size_t at = own.find(from); at != std::string::npos; at = own.find(from, at + to.size())) own.replace(at, from.size(), to);
  };
  replace(" id=\"", " id=\"" + id + "-");
  replace("url(#", "url(#" + id + "-");
  replace("aria-labelledby=\"title desc\"", "aria-labelledby=\"" + id + "-title " + id + "-desc\"");
  return "<figure class=\"picture\">\n<div class=\"scroll\" tabindex=\"0\" role=\"region\" aria-label=\"" + EscapeHtml(caption) + "\">" + own + "</div>\n<figcaption>" + EscapeHtml(caption) +
         "<br><output class=\"note\" aria-live=\"polite\">Point at a part of the picture, or focus it and use the arrow keys, to read what it is.</output></figcaption></figure>\n";
}

std::string Mark(bool passed) { return passed ? "<span class=\"ok\">ok</span>" : "<span class=\"fail\">FAIL</span>"; }

}  // namespace kernel_audit::report
