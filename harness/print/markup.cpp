#include "harness/print/markup.hpp"

#include "harness/host/text.hpp"
#include "harness/print/width.hpp"

namespace cliffbench {

std::string xml_text(std::string_view text) {
  std::string safe;
  for (const char c : printable(text)) {
    switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  }
  return safe;
}

std::string markdown_cell(std::string_view text) {
  constexpr std::string_view kMarkup = "|\\<`*[]";
  std::string safe;
  for (const char c : one_line(text)) {
    if (kMarkup.find(c) != kMarkup.npos) safe += '\\';
    safe += c;
  }
  return safe;
}

}  // namespace cliffbench
