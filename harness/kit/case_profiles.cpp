#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "harness/case/claim_grammar.hpp"
#include "harness/kit/case_reader.hpp"

namespace cliffbench {
namespace {

/// "3 rounds", "1 round", "limit 90 s", or both with a comma.
void read_frame(const std::string& text, const DataNode& at, Selection& selection) {
  for (const std::string& part : split_words(text)) {
    std::istringstream words(part);
    std::string first, second, third, rest;
    words >> first >> second >> third >> rest;
    const bool is_limit = first == "limit" && third == "s";
    const std::string& number = is_limit ? second : first;
    char* end = nullptr;
    const double value = std::strtod(number.c_str(), &end);
    const bool whole = value == std::floor(value) && value <= kMostRounds;
    const bool is_rounds = (second == "rounds" || second == "round") && third.empty() && whole;
    if (*end || !(value > 0) || !std::isfinite(value) || !rest.empty() ||
        !(is_limit || is_rounds)) {
      throw at.wrong(fmt::format("'({})' should be (N rounds) or (N rounds, limit S s)", text));
    }
    if (is_limit) {
      selection.limit_s = value;
    } else {
      selection.rounds = static_cast<int>(value);
    }
  }
}

/// "size=96x64|192x128, format=*"
void read_values(const std::string& text, const ReadCase& read, const DataNode& at,
                 Selection& selection) {
  for (const auto& [name, list] : parse_point(text)) {
    std::vector<std::string> values;
    std::istringstream stream(list);
    for (std::string value; std::getline(stream, value, '|');) {
      if (value == "*") {
        const auto axis = named(read.declared.axes, name);
        if (axis == read.declared.axes.end()) check_point({{name, value}}, read.declared);
        values = axis->values;
        break;
      }
      check_point({{name, value}}, read.declared);
      values.push_back(value);
    }
    if (values.empty()) throw at.wrong(fmt::format("no value of {} is named", name));
    selection.where[name] = values;
  }
}

/// "VARIANTS [at AXIS=VALUE|VALUE, AXIS=*] [(N rounds)]"
Selection selection_of(std::string text, const ReadCase& read, const DataNode& at) {
  Selection selection;
  text = trimmed(text);
  const size_t open = text.find('(');
  if (open != text.npos) {
    if (!text.ends_with(')')) throw at.wrong("'(' without ')' at the end");
    read_frame(text.substr(open + 1, text.size() - open - 2), at, selection);
    text.erase(open);
  }
  constexpr std::string_view kAt = " at ";
  const size_t split = text.find(kAt);
  if (split != text.npos) {
    blaming(at,
            [&] { read_values(trimmed(text.substr(split + kAt.size())), read, at, selection); });
    text.erase(split);
  }
  selection.variants = variants_of(split_words(text), read, at);
  return selection;
}

}  // namespace

void read_profiles(const DataNode& profiles, ReadCase& read) {
  auto& all = read.declared.profiles;
  for (const auto& [name, node] : profiles.fields()) {
    node.allow({"why", "measure"});
    Profile profile{name, node.need("why").text(), {}};
    for (const DataNode& line : node.need("measure").items()) {
      const bool plain = line.kind() == DataNode::Kind::text;
      if (!plain) line.allow({"cells", "only", "except"});
      const std::string& text = plain ? line.text() : line.need("cells").text();
      Selection selection = selection_of(text, read, line);
      if (plain || is_meant(line, read.declared)) profile.selections.push_back(selection);
    }
    std::erase_if(all, [&, &same = name](const Profile& one) { return one.name == same; });
    if (!profile.selections.empty()) all.push_back(std::move(profile));
  }
}

}  // namespace cliffbench
