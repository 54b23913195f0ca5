#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <sstream>

#include "harness/suite/case/claim_grammar.hpp"
#include "harness/suite/case/declaration.hpp"
#include "harness/suite/kit/case_reader.hpp"

namespace cliffbench {
namespace {

std::string trimmed(std::string text) {
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

/// "a, b" -> {"a", "b"}
std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream >> std::ws, word, ',');) {
    words.push_back(trimmed(word));
  }
  return words;
}

/// "3 rounds", "1 round", "limit 90 s", or both with a comma.
void read_frame(const std::string& text, const toml::node& at, Selection& selection) {
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
      throw wrong(at, fmt::format("'({})' should be (N rounds) or (N rounds, limit S s)", text));
    }
    if (is_limit) {
      selection.limit_s = value;
    } else {
      selection.rounds = static_cast<int>(value);
    }
  }
}

/// "size=96x64|192x128, format=*"
std::map<std::string, std::vector<std::string>> values_of(const std::string& text,
                                                          const Case& declared) {
  std::map<std::string, std::vector<std::string>> where;
  for (const auto& [name, list] : parse_point(text)) {
    const Axis& axis = axis_of(declared, name);
    std::istringstream stream(list);
    for (std::string value; std::getline(stream, value, '|');) {
      if (value == "*") {
        where[name] = axis.values;
        break;
      }
      check_point({{name, value}}, declared);
      where[name].push_back(value);
    }
  }
  return where;
}

/// "VARIANTS [at AXIS=VALUE|VALUE, AXIS=*] [(N rounds)]"
Selection selection_of(std::string text, const ReadCase& read, const toml::node& at) {
  Selection selection;
  text = trimmed(text);
  const size_t open = text.find('(');
  if (open != text.npos) {
    if (!text.ends_with(')')) throw wrong(at, "'(' without ')' at the end");
    read_frame(text.substr(open + 1, text.size() - open - 2), at, selection);
    text.erase(open);
  }
  constexpr std::string_view kAt = " at ";
  const size_t split = text.find(kAt);
  if (split != text.npos) {
    const std::string values = trimmed(text.substr(split + kAt.size()));
    blaming(at, [&] { selection.where = values_of(values, read.declared); });
    text.erase(split);
  }
  selection.variants = variants_of(split_words(text), read, at);
  return selection;
}

}  // namespace

void read_profiles(const toml::node& profiles, ReadCase& read) {
  auto& all = read.declared.profiles;
  for (const auto& [name, node] : fields_of(profiles)) {
    const toml::table& table = table_of(*node);
    allow(table, {"why", "measure"});
    Profile profile{name, text_of(need(table, "why")), {}};
    for (const toml::node& line : list_of(need(table, "measure"))) {
      const toml::table none;
      const toml::table& only = line.is_string() ? none : table_of(line);
      allow(only, {"cells", "only", "except"});
      const std::string& text = text_of(line.is_string() ? line : need(only, "cells"));
      Selection selection = selection_of(text, read, line);
      if (is_meant(only, read.declared)) profile.selections.push_back(std::move(selection));
    }
    std::erase_if(all, [&, &same = name](const Profile& one) { return one.name == same; });
    if (!profile.selections.empty()) all.push_back(std::move(profile));
  }
}

}  // namespace cliffbench
