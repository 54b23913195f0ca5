#include "harness/text/markup.hpp"

#include <fmt/format.h>

#include <map>

#include "harness/text/terminal.hpp"

namespace cliffbench {
namespace {

/// Escapes text for an element or an attribute of XML.
std::string xml_text(std::string_view text) {
  static const std::map<char, std::string> escapes = {
      {'&', "&amp;"}, {'<', "&lt;"}, {'>', "&gt;"}, {'"', "&quot;"}};
  std::string safe;
  for (const char c : printable(text)) {
    const auto escape = escapes.find(c);
    safe += escape == escapes.end() ? std::string(1, c) : escape->second;
  }
  return safe;
}

}  // namespace

std::string markdown_cell(std::string_view text) {
  constexpr std::string_view kMarkup = "|\\<`*[]";
  std::string safe;
  for (const char c : one_line(text)) {
    if (kMarkup.find(c) != kMarkup.npos) safe += '\\';
    safe += c;
  }
  return safe;
}

void JUnit::add(std::string_view program, std::string_view name, Result result,
                std::string_view verdict, std::string_view line, double seconds) {
  ++tests_;
  failed_ += result == Result::failed;
  skipped_ += result == Result::skipped;
  const std::string what = xml_text(line);
  cases_ += fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">",
                        xml_text(program), xml_text(name), seconds);
  if (result == Result::failed) {
    cases_ += fmt::format("<failure message=\"{}\">{}</failure>", xml_text(verdict), what);
  } else if (result == Result::skipped) {
    cases_ += fmt::format("<skipped message=\"{}\"/>", what);
  } else {
    cases_ += fmt::format("<system-out>{}</system-out>", what);
  }
  cases_ += "</testcase>\n";
}

std::string JUnit::text(std::string_view suite, double seconds) const {
  return fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n"
      "{}</testsuite>\n",
      suite, tests_, failed_, skipped_, seconds, cases_);
}

}  // namespace cliffbench
