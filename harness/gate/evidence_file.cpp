#include "harness/gate/evidence_file.hpp"

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
  const auto line = [&](const BenchmarkKey& key, const char* what, const Json& value) {
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
    const BenchmarkKey key{line.at("program"), line.at("name")};
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
  return parse_file(file, "a gate's evidence", [&] {
    Evidence evidence = parse_evidence(json);
    require_exact(json, evidence_json(evidence));
    const auto check = [&](const auto& by_key) {
      for (const auto& [key, unused] : by_key) {
        const bool known = std::any_of(plan.benchmarks.begin(), plan.benchmarks.end(),
                                       [&, at = key](const auto& it) {
                                         return it.program == at.first && it.name == at.second;
                                       });
        if (!known) throw std::runtime_error("this gate has no benchmark " + key.second);
      }
    };
    check(evidence.instructions);
    check(evidence.not_counted);
    check(evidence.layouts);
    return evidence;
  });
}

}  // namespace cliffbench
