#pragma once

/// JSON that is read exactly or not at all: an unknown word never becomes the first enumerator, and
/// what was read is exactly what would be written. Everything throws
/// std::runtime_error with what is wrong.

#include <algorithm>
#include <array>
#include <nlohmann/json.hpp>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace cliffbench {

/// An enumerator and its word in files.
template <typename Enum>
using Word = std::pair<Enum, std::string_view>;
/// The words of an enumeration, one each: specialised as an array.
template <typename Enum>
inline constexpr std::array<Word<Enum>, 0> kWords = {};
template <typename Enum>
concept Worded = !kWords<Enum>.empty();

template <Worded Enum>
[[nodiscard]] std::string word_of(Enum value) {
  for (const auto& [known, word] : kWords<Enum>) {
    if (known == value) return std::string(word);
  }
  throw std::logic_error("an enumerator without a word");
}

/// Throws std::runtime_error for a word of none.
template <Worded Enum>
[[nodiscard]] Enum value_of(std::string_view text) {
  std::string all;
  for (const auto& [known, word] : kWords<Enum>) {
    if (word == text) return known;
    all += (all.empty() ? "" : ", ") + std::string(word);
  }
  throw std::runtime_error("\"" + std::string(text) + "\" is not one of " + all);
}

// The JSON library calls these two, for its sorted and its ordered objects.
template <template <typename Key, typename Value, typename... More> typename Object, Worded Enum>
void to_json(nlohmann::basic_json<Object>& json, Enum value) {
  json = word_of(value);
}
template <template <typename Key, typename Value, typename... More> typename Object, Worded Enum>
void from_json(const nlohmann::basic_json<Object>& json, Enum& value) {
  value = value_of<Enum>(json.template get_ref<const std::string&>());
}

/// Says what is wrong with a file; errors of the JSON library are put into our own words.
[[nodiscard]] inline std::string what_is_wrong(const std::exception& error) {
  const auto* of_json = dynamic_cast<const nlohmann::json::exception*>(&error);
  if (!of_json) return error.what();
  constexpr int kLastOfParsing = 199;
  constexpr int kNoElement = 401;
  constexpr int kNoField = 403;
  if (of_json->id <= kLastOfParsing) return "it is not valid JSON";
  if (of_json->id == kNoElement) return "it has a list that is too short";
  if (of_json->id != kNoField) return "it has a value of the wrong type";
  const std::string_view words = of_json->what();  // "... key 'NAME' not found"
  const size_t start = std::min(words.find('\''), words.size());
  const size_t end = words.rfind('\'');
  return "it has no field " + std::string(words.substr(start, end + 1 - start));
}

inline void require(bool right, const std::string& sentence) {
  if (!right) throw std::runtime_error(sentence);
}

/// Throws unless writing what was read gives the same JSON: if not, a field is missing, unknown, or
/// of another type.
inline void require_exact(const nlohmann::json& given, const nlohmann::json& again) {
  if (given == again) return;
  const std::string path = nlohmann::json::diff(given, again).at(0).at("path");
  throw std::runtime_error("'" + path + "' is not as this program writes it");
}

}  // namespace cliffbench
