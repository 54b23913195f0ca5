#pragma once

/// The oracle: reads the viewer's HTML and brings it into a form in which every variant must agree.
/// Shares no code with Halide or with the patches.

#include <string>
#include <string_view>
#include <vector>

/// The two panes of a conceptual stmt page, and the map between them.
struct ViewerPage {
  std::string statements;  ///< HTML of the statement pane, each jump's line number replaced by '#'
  std::vector<int>
      jumps;  ///< line numbers in the assembly pane, in the order of the statements, from 1
  std::vector<std::string> assembly;  ///< lines of the assembly pane, unescaped
};

/// Throws std::runtime_error that names the missing part if the text is not such a page.
[[nodiscard]] ViewerPage read_page(std::string_view html);

/// The canonical form: the statement pane; for each jump the text of its assembly line; and the
/// instructions of the pipeline's own functions (those named `pipeline` or `pipeline_...`, and
/// their closures). Numbers of labels and of string constants are replaced by the constant's text,
/// the column of comments is ignored, and names are uncounted. So pages may differ only in data
/// sections, cut lines, and functions that are not the pipeline's.
[[nodiscard]] std::string canonical(const ViewerPage& page, std::string_view pipeline);

/// The instructions and labels of the pipeline's own functions, as they stand in the canonical
/// form, in assembly of x86 or ARM, ELF or Mach-O. Empty means that the page was not understood.
[[nodiscard]] std::vector<std::string> own_code(const ViewerPage& page, std::string_view pipeline);

/// A text by Halide without the numbers that its counters add to names: "t61" (temporaries, in
/// their order), "stage_1$2", "closure__1", and the symbol "output_1" of the pipeline "output$1".
/// The counters go on from one compilation of a process to the next, and a page must not depend on
/// the pages made before it.
[[nodiscard]] std::string uncounted(std::string_view text, std::string_view pipeline);

/// XXH3 of a text, 128 bits, hexadecimal.
[[nodiscard]] std::string digest_of(std::string_view text);

/// Checks a page on its own and returns what is wrong, or "": each jump must lead to a line with a
/// marker, each of `stages` loop nests must be there, and at least `stages` jumps.
[[nodiscard]] std::string fault_of(const ViewerPage& page, int stages);
