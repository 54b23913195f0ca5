// Declarations of cases: what is read, is written and read again as the same; cells are chosen.
#include <cstdlib>

#include "harness/case/declaration.hpp"
#include "harness/case/describe.hpp"
#include "harness/fuzz/json_input.hpp"
#include "harness/plan/plan.hpp"
#include "harness/text/text.hpp"

using namespace cliffbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto input = read_input(data, size, [](const nlohmann::json& json) {
    Description description = parse_description(json);
    check_declaration(description.declared);
    return description;
  });
  if (!input) return 0;
  const Description& description = *input;
  const auto written = describe(description);
  if (describe(parse_description(written)) != written) std::abort();
  double crossing = 1;
  for (const Axis& axis : description.declared.axes) {
    crossing *= static_cast<double>(axis.values.size());
  }
  constexpr double kQuick = 10000;
  if (crossing * static_cast<double>(description.declared.variants.size()) > kQuick) return 0;
  (void)choose_cells("p", description, {});
  for (const Profile& profile : description.declared.profiles) {
    (void)choose_cells("p", description, {.profile = profile.name});
  }
  return 0;
}
