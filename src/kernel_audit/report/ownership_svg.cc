#include <algorithm>
#include <string>

#include "kernel_audit/report/ownership.h"
#include "kernel_audit/report/svg.h"

namespace kernel_audit::report {
namespace {

// Eight tints that stay apart in grey and for people who see colours differently.
constexpr const char* kTints[] = {"#cfe3f7", "#fde2b8", "#d5efd0", "#f4cfe0", "#e3dcf5", "#f7f0b5", "#cdeeee", "#f9d3c4"};

class Writer {
 public:
  explicit Writer(const OwnershipPicture& picture) : p_(picture) {
    scale_x_ = std::clamp(720.0 / static_cast<double>(p_.padded[1]), 0.02, 48.0);
    scale_y_ = std::clamp(480.0 / static_cast<double>(p_.padded[0]), 0.02, 48.0);
  }

  std::string Run() {
    const double width = X(p_.padded[1]) + kMargin, height = Y(p_.padded[0]) + 2 * kMargin;
    text_ = "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 " + SvgNumber(width) + " " + SvgNumber(height) +
            "\" role=\"img\" font-family=\"sans-serif\" font-size=\"12\">\n<title>" + EscapeXml(p_.title) + "</title>\n<desc>" + EscapeXml(Words()) + "</desc>\n" +
            "<defs><pattern id=\"padding\" width=\"6\" height=\"6\" patternUnits=\"userSpaceOnUse\"><path d=\"M0 6L6 0\" stroke=\"#555\"/></pattern></defs>\n" +
            "<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n<text x=\"" + SvgNumber(kMargin) + "\" y=\"18\">" + EscapeXml(p_.title) + "</text>\n";
    for (std::int64_t row = 0; row < p_.blocks[0]; ++row) {
      for (std::int64_t column = 0; column < p_.blocks[1]; ++column) Block(row, column);
    }
    Padding();
    return std::move(text_) + "<text x=\"" + SvgNumber(kMargin) + "\" y=\"" + SvgNumber(height - 10) + "\">hatched: padding; heavy line: the logical edge</text>\n</svg>\n";
  }

 private:
  static constexpr double kMargin = 28;
  double X(std::int64_t column) const { return kMargin + scale_x_ * static_cast<double>(column); }
  double Y(std::int64_t row) const { return kMargin + scale_y_ * static_cast<double>(row); }

  std::string Words() const {
    return std::to_string(p_.owner.size()) + " blocks of " + core::ToString(p_.block) + " cover " + core::ToString(p_.padded) + "; the logical matrix is " +
           core::ToString(p_.logical) + ".";
  }

  std::string Program(std::int32_t owner) const {
    if (owner < 0) return "nobody";
    core::Shape point(p_.grid.size());
    std::int64_t rest = owner;
    for (std::size_t d = point.size(); d-- > 0;) {
      point[d] = rest % p_.grid[d];
      rest /= p_.grid[d];
    }
    return core::ToString(point);
  }

  // "program (0, 1): rows 0 to 1, columns 4 to 7, 8 elements, 3 of them padding".
  std::string Words(std::int64_t row, std::int64_t column, std::int32_t owner) const {
    const std::int64_t top = row * p_.block[0], left = column * p_.block[1], bottom = std::min(top + p_.block[0], p_.padded[0]), right = std::min(left + p_.block[1], p_.padded[1]);
    const std::int64_t all = (bottom - top) * (right - left);
    const std::int64_t logical = std::max<std::int64_t>(0, std::min(bottom, p_.logical[0]) - top) * std::max<std::int64_t>(0, std::min(right, p_.logical[1]) - left);
    return (owner < 0 ? "nobody" : "program " + Program(owner)) + ": rows " + std::to_string(top) + " to " + std::to_string(bottom - 1) + ", columns " + std::to_string(left) + " to " +
           std::to_string(right - 1) + ", " + std::to_string(all) + " elements, " + std::to_string(all - logical) + " of them padding";
  }

  std::string Rectangle(double x, double y, double width, double height, const std::string& style) const {
    return "<rect x=\"" + SvgNumber(x) + "\" y=\"" + SvgNumber(y) + "\" width=\"" + SvgNumber(width) + "\" height=\"" + SvgNumber(height) + "\" " + style;
  }

  void Block(std::int64_t row, std::int64_t column) {
    const std::int32_t owner = p_.owner[static_cast<std::size_t>(row * p_.blocks[1] + column)];
    const double width = scale_x_ * static_cast<double>(p_.block[1]), height = scale_y_ * static_cast<double>(p_.block[0]);
    const double x = X(column * p_.block[1]), y = Y(row * p_.block[0]);
    const std::string fill = owner < 0 ? "#ffffff" : kTints[owner % 8];
    text_ += Rectangle(x, y, width, height, "fill=\"" + fill + "\" stroke=\"#777\"><title>" + Words(row, column, owner) + "</title></rect>\n");
    if (width < 44 || height < 16) return;
    // In the middle of what is not padding, so that the logical edge does not cross the words.
    const double inside_x = std::min(x + width, X(p_.logical[1])) - x, inside_y = std::min(y + height, Y(p_.logical[0])) - y;
    const double label_x = x + (inside_x > 40 ? inside_x : width) / 2, label_y = y + (inside_y > 14 ? inside_y : height) / 2 + 4;
    text_ += "<text x=\"" + SvgNumber(label_x) + "\" y=\"" + SvgNumber(label_y) + "\" text-anchor=\"middle\" pointer-events=\"none\">" + Program(owner) + "</text>\n";
  }

  void Padding() {
    const double right = X(p_.logical[1]), bottom = Y(p_.logical[0]), edge_x = X(p_.padded[1]), edge_y = Y(p_.padded[0]);
    const std::string hatch = "fill=\"url(#padding)\" pointer-events=\"none\"/>\n";
    if (edge_x > right) text_ += Rectangle(right, kMargin, edge_x - right, edge_y - kMargin, hatch);
    if (edge_y > bottom) text_ += Rectangle(kMargin, bottom, right - kMargin, edge_y - bottom, hatch);
    text_ += Rectangle(kMargin, kMargin, right - kMargin, bottom - kMargin, "fill=\"none\" stroke=\"#000\" stroke-width=\"2.5\" pointer-events=\"none\"/>\n");
  }

  const OwnershipPicture& p_;
  double scale_x_, scale_y_;
  std::string text_;
};

}  // namespace

std::string OwnershipSvg(const OwnershipPicture& picture) { return Writer(picture).Run(); }

}  // namespace kernel_audit::report
