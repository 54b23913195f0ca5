#pragma once

/// Readers for the parts of a case in case.toml. A case may begin as a copy of another ("like"), so
/// each reader adds to what is there.

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "harness/suite/case/describe.hpp"
#include "harness/suite/kit/case_data.hpp"
#include "harness/suite/kit/data_file.hpp"

namespace cliffbench {

struct ReadCase {
  Case declared;
  std::map<std::string, std::vector<std::string>> groups;  ///< variants, by the group's name
  Params claims_at;                                        ///< the point of claims that name none
};

/// Whether a table applies here, by its `only` and `except` (patterns of the subject's or the
/// case's name).
[[nodiscard]] bool is_meant(const toml::table& table, const Case& declared);

/// The variants that the words mean: names, groups, patterns ("image_param*"); a word after "!"
/// removes its variants. A word that means no variant is an error at `at`.
[[nodiscard]] std::vector<std::string> variants_of(const std::vector<std::string>& words,
                                                   const ReadCase& read, const toml::node& at);

/// Runs `body`; adds the file and line of `at` to errors that it throws.
void blaming(const toml::node& at, const std::function<void()>& body);

/// Sets `value` to the enumerator whose word is under `key`, if the key is there.
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
  throw wrong(*node, "'" + text_of(*node) + "' is not one of " + joined(words));
}

/// Reads the table of one case with the readers below.
void read_case(const toml::table& table, const CaseContext& context, ReadCase& read);
void read_claims(const toml::node& claims, ReadCase& read);
void read_profiles(const toml::node& profiles, ReadCase& read);

}  // namespace cliffbench
