#pragma once

/// Validators of options and arguments, beyond CLI11's own.

#include <CLI/CLI.hpp>
#include <map>
#include <string>
#include <vector>

namespace cliffbench {

/// A time above 0 with its unit (ms, s, m, h, d; s without one), as seconds.
[[nodiscard]] CLI::Validator time_option();

/// A share above 0 with its sign, as 2%; as a number, 0.02.
[[nodiscard]] CLI::Validator share_option();

/// A share, or REGEX=SHARE with an extended POSIX expression, its share as a number.
[[nodiscard]] CLI::Validator own_share_option();

/// A whole number from 0 on, in digits.
[[nodiscard]] CLI::Validator whole_number_option();

/// A size above 0 with its unit (kB, MB, GB, TB, decimal, or KiB...; bytes without one), in bytes.
[[nodiscard]] CLI::Validator size_option();

/// Read NAME=VALUE[,VALUE...], and NAME[,NAME...]. Throw UserError.
[[nodiscard]] std::map<std::string, std::vector<std::string>> parse_axes(
    const std::vector<std::string>& words);
[[nodiscard]] std::vector<std::string> parse_variants(const std::vector<std::string>& words);

/// The text on one line, cut to a readable length, whatever was typed.
[[nodiscard]] std::string sentence_of(std::string text);

/// Refuses empty values: whoever writes `--out "$FOLDER"` meant a folder. Covers every option and
/// argument of every verb, so call it after all have been added.
void refuse_empty_texts(CLI::App& app);
/// Refuses `--out=` too, for which CLI11 would take the next word. Throws UserError.
void refuse_empty_texts(int argc, char** argv);

}  // namespace cliffbench
