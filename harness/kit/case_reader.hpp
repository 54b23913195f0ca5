#pragma once

/// The parts of case_data.cpp. A case may begin as a copy of another ("like"), so each part adds to
/// what is there.

#include <functional>
#include <initializer_list>
#include <map>
#include <string>
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
[[nodiscard]] bool is_meant(const DataNode& table, const Case& declared);

/// The variants that words mean: names, groups, patterns ("image_param*"), and without those after
/// "!". `at` is blamed for a word that means none.
[[nodiscard]] std::vector<std::string> variants_of(const std::vector<std::string>& words,
                                                   const ReadCase& read, const DataNode& at);

[[nodiscard]] std::string trimmed(std::string text);  ///< without spaces at its end

/// "a, b" -> {"a", "b"}
[[nodiscard]] std::vector<std::string> split_words(const std::string& text);

/// Runs `body`; what it throws is said of `at`.
void blaming(const DataNode& at, const std::function<void()>& body);

/// The enumerator whose word stands there.
template <typename Enum>
[[nodiscard]] Enum word_in(const DataNode& node, std::initializer_list<Enum> all) {
  std::vector<std::string> words;
  for (const Enum value : all) {
    words.push_back(word(value));
    if (words.back() == node.text()) return value;
  }
  throw node.wrong("'" + node.text() + "' is none of " + joined(words));
}

/// A table of one case, whose own parts are read by:
void read_case(const DataNode& table, const CaseContext& context, ReadCase& read);
void read_claims(const DataNode& claims, ReadCase& read);
void read_profiles(const DataNode& profiles, ReadCase& read);

}  // namespace cliffbench
