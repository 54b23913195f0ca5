#pragma once

/// The variants that are a whole program, from its start to its end: it reads its matrices from
/// files, builds the pipeline and writes one page. `launcher_baseline` is this program (its verb
/// `--write-page`), `import_baseline` a script (write_page.py) with the `halide` of the same wheel;
/// `launcher` and `import` are the same with the patches that halide-patched brings.

#include <string>
#include <vector>

#include "harness/suite/kit/kit.hpp"

[[nodiscard]] inline bool is_whole_program(const std::string& variant) {
  return variant.starts_with("launcher") || variant.starts_with("import");
}

/// `self`: the path of this program.
void measure_whole_program(const std::string& self, benchmark::State& state,
                           cliffbench::Trial& trial);

/// Takes BUFFERS SIZE FORMAT TARGET, the folder of the matrices and the path of the page.
int write_page(const std::vector<std::string>& arguments);
