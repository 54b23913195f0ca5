// Declarations of cases: what is read, is written and read again as the same; cells are chosen.
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "harness/case/describe.hpp"
#include "harness/host/text.hpp"
#include "harness/plan/plan.hpp"

using namespace cliffbench;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto* text = reinterpret_cast<const char*>(data);  // libc++ knows no text of other bytes
  const auto json = nlohmann::json::parse(text, text + size, nullptr, false);
  Description description;
  try {
    description = parse_description(json);
  } catch (const nlohmann::json::exception&) {
    return 0;
  } catch (const std::runtime_error&) {
    return 0;
  }
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
