#include "harness/gate/markup.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "harness/core/text/text.hpp"

namespace cliffbench {
namespace {

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

std::string test_case(const Entry& entry) {
  const std::string line = xml_text(entry.line);
  std::string end = fmt::format("<system-out>{}</system-out>", line);
  if (entry.result == Result::failed) {
    end = fmt::format("<failure message=\"{}\">{}</failure>", xml_text(entry.word), line);
  } else if (entry.result == Result::skipped) {
    end = fmt::format("<skipped message=\"{}\"/>", line);
  }
  return fmt::format("  <testcase classname=\"{}\" name=\"{}\" time=\"{:.3f}\">{}</testcase>\n",
                     xml_text(entry.program), xml_text(entry.name), entry.seconds, end);
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

std::string markdown_table(const std::vector<std::string>& heading, std::span<const Entry> all,
                           std::size_t most) {
  std::string text = fmt::format("| {} |\n|", joined(heading, " | "));
  for (std::size_t i = 0; i < heading.size(); ++i) text += "---|";
  text += '\n';
  for (const Entry& entry : all.first(std::min(most, all.size()))) {
    text += fmt::format("| {} |\n", joined(entry.cells, " | "));
  }
  return text;
}

std::string junit(std::string_view suite, std::span<const Entry> all, double seconds) {
  const auto count = [&](Result result) {
    return std::count_if(all.begin(), all.end(),
                         [result](const Entry& entry) { return entry.result == result; });
  };
  std::string text = fmt::format(
      "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
      "<testsuite name=\"{}\" tests=\"{}\" failures=\"{}\" skipped=\"{}\" time=\"{:.3f}\">\n",
      suite, all.size(), count(Result::failed), count(Result::skipped), seconds);
  for (const Entry& entry : all) text += test_case(entry);
  return text + "</testsuite>\n";
}

}  // namespace cliffbench
