#pragma once

/// A case as data: its case.toml (the format is in cases/README.md), embedded into the program, and
/// the functions that measure what it declares.

#include <functional>
#include <string>
#include <vector>

#include "harness/suite/kit/kit.hpp"

namespace cliffbench {

/// The facts that a program adds to its case.toml.
struct CaseContext {
  std::string data;  ///< the text of case.toml
  std::string file;  ///< its name in error messages
  Subject subject;
  std::string readme;               ///< path of the case's README
  std::vector<Patch> patches = {};  ///< cards of the patches that it has code for
};

/// The function of one case of the data.
struct Measure {
  std::string name;
  TrialFunction function;
  /// Variants that the function knows by name. All others are the baseline with their patches.
  std::vector<std::string> variants = {};
  /// Patches that the function applies; empty: every patch that the program has code for.
  std::vector<std::string> patches = {};
  std::function<bool(const Params&, const std::string& variant)> once = nullptr;  ///< as Case::once
};

/// The cases of a data file, in its order. Throws UserError: "FILE:LINE: sentence".
[[nodiscard]] std::vector<Case> read_cases(const CaseContext& context);

/// The same with their functions. Throws UserError for a case without a function, a function
/// without a case, and a variant that no code runs, which would be measured as the baseline.
[[nodiscard]] std::vector<Bench> benches_of(const CaseContext& context,
                                            const std::vector<Measure>& measures);

/// case_main for cases as data. With `--data FILE` first it reads another data file than the
/// embedded one; with `--check` it only checks the file. Exit code 2 and one sentence on an error.
int case_main(CaseContext context, const std::vector<Measure>& measures, int argc, char** argv,
              const std::vector<Verb>& verbs = {});

}  // namespace cliffbench
