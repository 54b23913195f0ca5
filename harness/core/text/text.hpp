#pragma once

/// Numbers, names and mistyped words as people read them: three significant digits, one unit.

#include <algorithm>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace cliffbench {

/// The user gave something that cannot work: one sentence that says what would be right. Exit
/// code 2.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// Nothing (more) can be measured here, for the reason given. Exit code 13.
struct CannotMeasure : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// The user stopped it before there was anything to resume. Exit code 130.
struct StoppedByUser : std::runtime_error {
  using std::runtime_error::runtime_error;
};

[[nodiscard]] std::string three_digits(double value);   ///< 0.0123, 1.23, 12.3, 123, 1230
[[nodiscard]] std::string duration(double seconds);     ///< "13.2 ms", "8.21 s"
[[nodiscard]] std::string clock_time(double seconds);   ///< "0:07", "12:34", "1:02:03"
[[nodiscard]] std::string byte_size(double bytes);      ///< "428 MB" (decimal)
[[nodiscard]] std::string utc_now(const char* format);  ///< strftime in UTC
[[nodiscard]] std::string counted(std::size_t count, const char* noun);  ///< "1 cell", "2 cells"

/// Makes text of programs and files safe to show: characters that are not printable (control
/// characters other than tabs and line ends, marks that reverse a line, invalid UTF-8) become
/// escapes such as "\\x1b". fmt's tables decide what is printable.
[[nodiscard]] std::string printable(std::string_view text);

/// The whole number in a JSON value. Throws std::runtime_error for anything else: a fraction, 1e30,
/// one that T cannot hold.
template <std::integral T>
[[nodiscard]] T whole_number(const auto& json) {
  const bool holds =
      json.is_number_unsigned()
          ? std::in_range<T>(json.template get<std::uint64_t>())
          : json.is_number_integer() && std::in_range<T>(json.template get<std::int64_t>());
  if (!holds) throw std::runtime_error(json.dump() + " is not a whole number, or is too large");
  return json.template get<T>();
}

/// A word for a shell, in quotes where it needs them.
[[nodiscard]] std::string quoted(const std::string& word);

/// Whether the text can name a file in a folder, and nothing outside it.
[[nodiscard]] constexpr bool is_file_name(std::string_view text) {
  constexpr size_t kLongest = 200;  // leaves room for an ending within what file systems allow
  return !text.empty() && text.size() <= kLongest && text[0] != '.' &&
         text.find('/') == text.npos && text.find('\0') == text.npos;
}
[[nodiscard]] inline bool contains(const std::vector<std::string>& words, const std::string& word) {
  return std::find(words.begin(), words.end(), word) != words.end();
}
[[nodiscard]] std::string joined(const auto& words, const char* separator = ", ") {
  std::string text;
  for (const auto& word : words) text += (text.empty() ? "" : separator) + std::string(word);
  return text;
}

/// The known word that needs the fewest letters changed, put in, left out or exchanged with their
/// neighbours (optimal string alignment) to become `typed`; "" where each needs more than a third
/// of its letters.
[[nodiscard]] std::string nearest(std::string_view typed, const std::vector<std::string>& known);

/// "did you mean 'buffers'?", or, where none is near, "it is one of buffers, size".
[[nodiscard]] std::string did_you_mean(std::string_view typed,
                                       const std::vector<std::string>& known);

/// "there is no axis 'bufers'; did you mean 'buffers'?"
[[nodiscard]] std::string no_such(std::string_view what, std::string_view typed,
                                  const std::vector<std::string>& known);

}  // namespace cliffbench
