#pragma once

/// The parts of case_data.cpp. A case may begin as a copy of another ("like"), so each part adds to
/// what is there.

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/case/describe.hpp"
#include "harness/kit/case_data.hpp"
#include "harness/kit/data_file.hpp"

namespace cliffbench {

struct ReadCase {
  Case declared;
  std::map<std::string, std::vector<std::string>> groups;  ///< variants, by the group's name
  Params claims_at;  ///< where claims stand that do not say otherwise
};

/// Whether `only` and `except` of a table (patterns of the subject's or the case's name) let it be.
[[nodiscard]] bool is_meant(const toml::table& table, const Case& declared);

/// The variants that words mean: names, groups, patterns ("image_param*"), and without those after
/// "!". `at` is blamed for a word that means none.
[[nodiscard]] std::vector<std::string> variants_of(const std::vector<std::string>& words,
                                                   const ReadCase& read, const toml::node& at);

/// Runs `body`; what it throws is said of `at`.
void blaming(const toml::node& at, const std::function<void()>& body);

/// Sets the enumerator whose word stands there, if one does.
template <typename Enum>
void read_word(const toml::table& table, std::string_view key, std::initializer_list<Enum> all,
               Enum& value) {
  const toml::node* node = table.get(key);
  if (!node) return;
  std::vector<std::string> words;
  for (const Enum known : all) {
    words.push_back(word(known));
    if (words.back() != text_of(*node)) continue;
    value = known;
    return;
  }
  throw wrong(*node, "'" + text_of(*node) + "' is none of " + joined(words));
}

/// A table of one case, whose own parts are read by:
void read_case(const toml::table& table, const CaseContext& context, ReadCase& read);
void read_claims(const toml::node& claims, ReadCase& read);
void read_profiles(const toml::node& profiles, ReadCase& read);

}  // namespace cliffbench
