#include "harness/gate/evidence_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "harness/case/describe.hpp"
#include "harness/host/exact.hpp"
#include "harness/record/record.hpp"
#include "harness/text/text.hpp"

namespace cliffbench {
namespace {
using Json = nlohmann::json;
}

Json evidence_json(const Evidence& evidence) {
  Json lines = Json::array();
  const auto line = [&](const Evidence::Key& key, const char* what, const Json& value) {
    lines.push_back({{"program", key.first}, {"name", key.second}, {what, value}});
  };
  for (const auto& [key, counted] : evidence.instructions) {
    line(key, "instructions", {counted.base, counted.head});
  }
  for (const auto& [key, why] : evidence.not_counted) line(key, "not_counted", why);
  for (const auto& [key, layouts] : evidence.layouts) line(key, "layouts", layouts);
  return {{"schema", kSchema}, {"unfit", evidence.unfit}, {"evidence", lines}};
}

Evidence parse_evidence(const Json& json) {
  Evidence evidence;
  evidence.unfit = json.at("unfit");
  for (const Json& line : json.at("evidence")) {
    const Evidence::Key key{line.at("program"), line.at("name")};
    if (line.contains("instructions")) {
      const Json& counted = line["instructions"];
      evidence.instructions[key] = {counted.at(0), counted.at(1)};
    }
    if (line.contains("not_counted")) evidence.not_counted[key] = line["not_counted"];
    if (line.contains("layouts"))
      evidence.layouts[key] = line["layouts"].get<std::vector<double>>();
  }
  return evidence;
}

Evidence read_evidence(const GatePlan& plan, const std::filesystem::path& folder) {
  const std::filesystem::path file = folder / "evidence.json";
  const Json json = read_sealed(file);
  try {
    Evidence evidence = parse_evidence(json);
    require_exact(json, evidence_json(evidence));
    const auto check = [&](const auto& by_key) {
      for (const auto& [key, unused] : by_key) {
        const bool known = std::any_of(
            plan.benchmarks.begin(), plan.benchmarks.end(),
            [&, at = key](const auto& c) { return c.program == at.first && c.name == at.second; });
        if (known) continue;
        throw std::runtime_error("a signal for a benchmark that this gate does not have: " +
                                 key.second);
      }
    };
    check(evidence.instructions);
    check(evidence.not_counted);
    check(evidence.layouts);
    return evidence;
  } catch (const std::exception& error) {
    throw CannotMeasure(fmt::format("{} is not one that this program can read: {}", file.string(),
                                    what_is_wrong(error)));
  }
}

}  // namespace cliffbench
