#include "harness/core/text/text.hpp"

#include <fmt/format.h>

#include <cmath>
#include <ctime>

namespace cliffbench {
namespace {

/// A table of the edit costs between every pair of prefixes of the two words.
size_t distance(std::string_view a, std::string_view b) {
  const size_t columns = b.size() + 1;
  std::vector<size_t> costs((a.size() + 1) * columns);
  const auto cost = [&](size_t i, size_t j) -> size_t& { return costs[i * columns + j]; };
  for (size_t i = 0; i <= a.size(); ++i) cost(i, 0) = i;
  for (size_t j = 0; j <= b.size(); ++j) cost(0, j) = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    for (size_t j = 1; j <= b.size(); ++j) {
      const bool same = a[i - 1] == b[j - 1];
      cost(i, j) =
          std::min({cost(i - 1, j) + 1, cost(i, j - 1) + 1, cost(i - 1, j - 1) + (same ? 0 : 1)});
      if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1]) {
        cost(i, j) = std::min(cost(i, j), cost(i - 2, j - 2) + 1);
      }
    }
  }
  return costs.back();
}

}  // namespace

std::string three_digits(double value) {
  if (value == 0 || !std::isfinite(value)) return fmt::format("{}", value);
  const int before_point = static_cast<int>(std::floor(std::log10(std::fabs(value)))) + 1;
  const double unit = std::pow(10, before_point - 3);
  const double rounded = std::round(value / unit) * unit;
  // Rounding may have carried into one more digit (9.996 -> 10.0).
  const int digits = static_cast<int>(std::floor(std::log10(std::fabs(rounded)) + 1e-9)) + 1;
  return fmt::format("{:.{}f}", rounded, std::max(0, 3 - digits));
}

std::string duration(double seconds) {
  if (seconds < 1e-3) return three_digits(seconds * 1e6) + " us";
  if (seconds < 1) return three_digits(seconds * 1e3) + " ms";
  return three_digits(seconds) + " s";
}

std::string clock_time(double seconds) {
  const long whole = std::lround(seconds);
  if (whole >= 3600) {
    return fmt::format("{}:{:02}:{:02}", whole / 3600, whole / 60 % 60, whole % 60);
  }
  return fmt::format("{}:{:02}", whole / 60, whole % 60);
}

std::string byte_size(double bytes) {
  if (bytes >= 1e9) return three_digits(bytes / 1e9) + " GB";
  if (bytes >= 1e6) return three_digits(bytes / 1e6) + " MB";
  return three_digits(bytes / 1e3) + " kB";
}

std::string printable(std::string_view text) {
  const std::string escaped = fmt::format("{:?}", text);  // in quotes
  std::string shown;
  for (size_t i = 1; i + 1 < escaped.size(); ++i) {
    const char next = escaped[i] == '\\' ? escaped[++i] : '\0';
    if (next == '\0') {
      shown += escaped[i];
    } else if (next == 'n' || next == 't') {
      shown += next == 'n' ? '\n' : '\t';
    } else {
      if (next != '\\' && next != '"' && next != '\'') shown += '\\';
      shown += next;
    }
  }
  return shown;
}

std::string quoted(const std::string& word) {
  if (!word.empty() && word.find_first_not_of("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                              "0123456789_./=:,+-") == std::string::npos) {
    return word;
  }
  std::string safe = "'";
  for (const char c : word) safe += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return safe + "'";
}

std::string counted(std::size_t count, const char* noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string utc_now(const char* format) {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[64] = "";
  std::strftime(text, sizeof text, format, &parts);
  return text;
}

std::string nearest(std::string_view typed, const std::vector<std::string>& known) {
  constexpr size_t kLongest =
      100;  // longer words are no typing errors, and the table grows with the square
  std::string best;
  if (typed.size() > kLongest) return best;
  size_t least = typed.size() / 3 + 1;
  for (const std::string& word : known) {
    if (word.size() > kLongest) continue;
    const size_t changes = distance(typed, word);
    if (changes >= least) continue;
    least = changes;
    best = word;
  }
  return best;
}

std::string did_you_mean(std::string_view typed, const std::vector<std::string>& known) {
  const std::string meant = nearest(typed, known);
  if (!meant.empty()) return "did you mean '" + meant + "'?";
  return known.empty() ? "there is none here" : "it is one of " + joined(known);
}

std::string no_such(std::string_view what, std::string_view typed,
                    const std::vector<std::string>& known) {
  return fmt::format("there is no {} '{}'; {}", what, typed, did_you_mean(typed, known));
}

}  // namespace cliffbench
