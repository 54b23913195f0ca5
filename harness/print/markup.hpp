#pragma once

/// Text of programs and files inside a markup: it stays text, whatever it holds.

#include <string>
#include <string_view>

namespace cliffbench {

/// For an element or an attribute of XML.
[[nodiscard]] std::string xml_text(std::string_view text);

/// For a cell of a Markdown table: it ends neither the cell nor the line.
[[nodiscard]] std::string markdown_cell(std::string_view text);

}  // namespace cliffbench
