#pragma once

/// For tests: what a program of one case declares.

#include "harness/suite/case/describe.hpp"

namespace cliffbench {

/// Two variants at the sizes 1 and 2.
inline Description made_case() {
  Description description;
  description.declared = {
      .name = "made",
      .subject = {"it", "1", ""},
      .axes = {{"n", "", {"1", "2"}}},
      .variants = {{"baseline", Role::baseline, ""}, {"fast", Role::patch, ""}}};
  return description;
}

}  // namespace cliffbench
