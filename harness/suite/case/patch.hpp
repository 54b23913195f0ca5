#pragma once

#include <string>

namespace cliffbench {

/// The card of one patch, a constant in the patch's own header: --describe prints it, the report
/// shows it. `name` is the patch's file name without its extension; the rest are sentences for a
/// reader.
struct Patch {
  std::string name;
  std::string before;    ///< what the subject does today, and what it costs
  std::string after;     ///< what it does with the patch
  std::string cost;      ///< what the user gives up
  std::string source;    ///< who proposed it, and where
  std::string left_out;  ///< what the patch does not cover
};

}  // namespace cliffbench
