#include "harness/suite/case/describe.hpp"

#include <cmath>
#include <nlohmann/json.hpp>
#include <stdexcept>

#include "harness/core/host/exact.hpp"
#include "harness/core/text/text.hpp"
#include "harness/suite/case/declaration.hpp"

namespace cliffbench {

using Json = nlohmann::json;

template <>
inline constexpr auto kWords<Role> = std::to_array<Word<Role>>({{Role::baseline, "baseline"},
                                                                {Role::control, "control"},
                                                                {Role::patch, "patch"},
                                                                {Role::reference, "reference"}});
template <>
inline constexpr auto kWords<Quantity> =
    std::to_array<Word<Quantity>>({{Quantity::ratio, "ratio"},
                                   {Quantity::memory, "memory"},
                                   {Quantity::time, "time"},
                                   {Quantity::share, "share"},
                                   {Quantity::exponent, "exponent"},
                                   {Quantity::agreement, "agreement"}});
template <>
inline constexpr auto kWords<Origin> =
    std::to_array<Word<Origin>>({{Origin::ours, "ours"}, {Origin::theirs, "theirs"}});
template <>
inline constexpr auto kWords<FigureBy> =
    std::to_array<Word<FigureBy>>({{FigureBy::issue, "issue"},
                                   {FigureBy::bounded, "bounded"},
                                   {FigureBy::before, "before"},
                                   {FigureBy::after, "after"}});
template <>
inline constexpr auto kWords<Verdict> =
    std::to_array<Word<Verdict>>({{Verdict::held, "held"},
                                  {Verdict::refuted, "refuted"},
                                  {Verdict::undecided, "undecided"},
                                  {Verdict::unproven, "unproven"},
                                  {Verdict::not_measured, "not_measured"}});

void to_json(Json& json, const Bounds& bounds) {
  json["lo"] = bounds.lo;
  if (std::isinf(bounds.hi)) {
    json["hi"] = nullptr;
  } else {
    json["hi"] = bounds.hi;
  }
}

void from_json(const Json& json, Bounds& bounds) {
  bounds.lo = json.at("lo");
  bounds.hi = json.at("hi").is_null() ? INFINITY : json.at("hi").get<double>();
}

// The sizes have a default, because `describe` leaves them out when there are none.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE_WITH_DEFAULT(Axis, name, unit, values, sizes)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Variant, name, role, why, patches, equals)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Patch, name, before, after, cost, source, left_out)
void to_json(Json& json, const Selection& selection) {
  json = {{"where", selection.where},
          {"variants", selection.variants},
          {"rounds", selection.rounds},
          {"limit_s", selection.limit_s}};
}
void from_json(const Json& json, Selection& selection) {
  selection = {json.at("where"), json.at("variants"), whole_number<int>(json.at("rounds")),
               json.at("limit_s")};
}
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Profile, name, why, selections)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Subject, name, version, sha256)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Build, compiler, flags, commit, dirty)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Claim, id, text, quantity, variant, against, of, axis, where,
                                   machine, range, control, origin, figure_by, expected, source)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Case, subject, why, readme, axes, variants, stages_from, patches,
                                   claims, profiles, limit_s)

Json describe(const Description& description) {
  const Case& declared = description.declared;
  Json json = declared;
  json["schema"] = kSchema;
  json["case"] = declared.name;
  json["build"] = description.build;
  json["libraries"] = description.libraries;
  for (Json& axis : json["axes"]) {
    if (axis["sizes"].empty()) axis.erase("sizes");
  }
  return json;
}

Description parse_description(const Json& json) {
  if (json.at("schema") != kSchema) {
    throw std::runtime_error("schema " + json.at("schema").dump() + " instead of " +
                             std::to_string(kSchema));
  }
  Description description;
  Case& declared = description.declared;
  declared = json.get<Case>();
  declared.name = json.at("case");
  description.build = json.at("build");
  if (json.contains("libraries"))
    description.libraries = json["libraries"];  // a run's folder does not keep them
  const std::string file = declared.name + "@" + declared.subject.name;
  if (!is_file_name(file)) throw std::runtime_error(Json(file).dump() + " cannot name a file");
  Json again = describe(description);
  if (!json.contains("libraries")) again.erase("libraries");
  if (json.contains("file")) again["file"] = json["file"].get<std::string>();
  require_exact(json, again);
  check_declaration(declared);
  return description;
}

std::string word(Role value) { return word_of(value); }
std::string word(Quantity value) { return word_of(value); }
std::string word(Origin value) { return word_of(value); }
std::string word(FigureBy value) { return word_of(value); }
std::string word(Verdict value) { return word_of(value); }

bool compares(Quantity quantity) {
  return quantity == Quantity::ratio || quantity == Quantity::memory ||
         quantity == Quantity::agreement;
}

}  // namespace cliffbench
