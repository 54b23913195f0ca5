#pragma once

/// The programs of cases, and what they declare.

#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "harness/core/program/identity.hpp"
#include "harness/suite/case/describe.hpp"

namespace cliffbench {

/// The cases that a program declares by `--describe`: by the program file's name, or by
/// "<case>@<subject>" when the program has several. Throws CannotMeasure with the program's last
/// words when it prints anything else.
[[nodiscard]] std::map<std::string, Description> describe_program(
    const std::filesystem::path& program);

/// A case and the program that measures it.
struct CaseProgram {
  std::filesystem::path path;
  Description description;
};
using CasePrograms = std::map<std::string, CaseProgram>;  ///< by name

/// The cases that the words mean: a program file's name ("<case>@<subject>") or what stands before
/// its @, a case's name, "<case>@<subject>", or a path; no words mean all of `folder`. Throws
/// UserError when a word means nothing, CannotMeasure when a program that is meant does not
/// describe itself.
[[nodiscard]] CasePrograms wanted_cases(const std::vector<std::string>& words,
                                        const std::filesystem::path& folder);

[[nodiscard]] Identity identity_of(const CaseProgram& program);
/// The program's file and the libraries that it loads.
[[nodiscard]] std::vector<std::filesystem::path> files_of(const CaseProgram& program);

}  // namespace cliffbench
