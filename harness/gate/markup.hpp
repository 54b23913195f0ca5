#pragma once

/// Rulings in two markups: Markdown and JUnit. Pure.

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/text/terminal.hpp"

namespace cliffbench {

/// The worst first.
enum class Result { failed, skipped, passed };

/// One ruling.
struct Entry {
  Result result = Result::passed;
  std::string program, name;
  std::string word;                ///< the short word of its ruling
  std::string line;                ///< all that is to say
  std::vector<std::string> cells;  ///< of its row in Markdown, as `markdown_cell` makes them
  double seconds = 0;
};

/// For a cell of a Markdown table: it ends neither the cell nor the line.
[[nodiscard]] std::string markdown_cell(std::string_view text);

/// A table of the first `most`.
[[nodiscard]] std::string markdown_table(const std::vector<std::string>& heading,
                                         std::span<const Entry> all, std::size_t most);

/// A test suite as CI systems show one (https://github.com/testmoapp/junitxml). `seconds` >= 0.
[[nodiscard]] std::string junit(std::string_view suite, std::span<const Entry> all,
                                double seconds = 0);

}  // namespace cliffbench
