#pragma once

#include <fstream>
#include <stdexcept>
#include <string>

#include "harness/patch.hpp"

namespace patches::halide {

inline const cliffbench::Patch kRegexFilter{
    .name = "regex_filter",
    .before =
        "The viewer tries one std::regex per loop marker on every line of the assembly, also on "
        "the one "
        "line of tens of megabytes that holds an embedded buffer.",
    .after =
        "Lines of more than 500 characters are cut to 100 before the viewer reads the assembly; it "
        "would "
        "cut them for display anyway, after the search.",
    .cost = "None that is visible: no marker stands in such a line. One more pass over the file.",
    .source =
        "Proposed in halide/Halide #8717 (\"bump the line length filter to earlier in the "
        "pipeline\"); "
        "released in another form in Halide 21 (PR #8748).",
    .left_out =
        "The deep copy of the module and the emission of the listing still grow with the buffers."};

/// Rewrites the assembly file at `path` with every line over 500 characters cut, as the viewer cuts
/// it for display. Bytes are left as they are (NUL and bad UTF-8 included). Throws
/// std::runtime_error when a file cannot be written.
inline void cut_long_lines(const std::string& path) {
  constexpr size_t kLongest = 500;
  constexpr size_t kKept = 100;
  const std::string cut_path = path + ".cut";
  {
    std::ifstream in(path, std::ios::binary);
    std::ofstream out(cut_path, std::ios::binary);
    for (std::string line; std::getline(in, line);) {
      if (line.size() > kLongest) {
        line.resize(kKept);
        line += "\" # omitted the remainder of the ASCII buffer";
      }
      out << line;
      if (!in.eof()) out << '\n';
    }
    out.flush();
    if (!in.eof() || !out) throw std::runtime_error("cannot write " + cut_path);
  }
  if (std::rename(cut_path.c_str(), path.c_str()) != 0) {
    throw std::runtime_error("cannot replace " + path);
  }
}

}  // namespace patches::halide
