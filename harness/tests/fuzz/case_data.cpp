// case.toml: what is read can be described, and the description read again.
#include "harness/suite/kit/case_data.hpp"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "harness/core/text/text.hpp"
#include "harness/suite/case/declaration.hpp"
#include "harness/suite/case/describe.hpp"

using namespace cliffbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  Patch fast{};
  fast.name = "fast";
  try {
    for (const Case& declared : read_cases({{reinterpret_cast<const char*>(data), size},
                                            "case.toml",
                                            {"thing-1", "1", ""},
                                            "",
                                            {fast}})) {
      check_declaration(declared);
      Description description;
      description.declared = declared;
      const auto json = describe(description);
      if (describe(parse_description(json)) != json) std::abort();
    }
  } catch (const UserError&) {
    return 0;
  }
  return 0;
}
