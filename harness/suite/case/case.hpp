#pragma once

/// The declaration of a case, as data.

#include <algorithm>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record/params.hpp"
#include "harness/core/stats/quantity.hpp"
#include "harness/suite/case/patch.hpp"

namespace cliffbench {

struct Axis {
  std::string name;
  std::string unit;
  std::vector<std::string> values;  ///< "8", or "3072x2048" (counts as the product), or a word
  std::map<std::string, double> sizes = {};  ///< the number that a word stands for, if it has one
};

enum class Role { baseline, control, patch, reference };

struct Variant {
  std::string name;
  Role role = Role::patch;
  std::string why;
  std::vector<std::string> patches = {};  ///< names of the cards; empty for none
  std::string equals = "baseline";        ///< variant whose digest this one promises; "" for none
};

enum class Origin { ours, theirs };
/// Who chose the figure: an issue; we, for an issue's statement; we, before or after measuring.
enum class FigureBy { issue, bounded, before, after };
enum class Verdict { held, refuted, undecided, unproven, not_measured };

/// A promise about one variant. Its quantity is one of: ratio, the time (or stage `of`) of
/// `against` / that of `variant`; memory, the same for peak memory; time, the variant's own, in
/// seconds; share, stage `of` in the variant's own time; exponent, that of the time (or of stage
/// `of`) along `axis`; agreement, the share of rounds in which its digest equals that of `against`.
struct Claim {
  std::string id;
  std::string text;
  Quantity quantity = Quantity::ratio;
  std::string variant;
  std::string against = "baseline";  ///< ratio, memory, agreement
  std::string of = "";               ///< the stage; "" is the whole timed region
  std::string axis = "";             ///< exponent only
  Params where = {};                 ///< judged at every measured point that agrees with it
  std::string machine = "";  ///< judged only where the CPU's model or architecture contains this
  Bounds range = {};
  bool control = false;  ///< where it moves out of `range`, nothing at its point is decided
  Origin origin = Origin::ours;
  FigureBy figure_by = FigureBy::before;
  Verdict expected = Verdict::held;
  std::string source = "";
};

/// All cells {one value of each axis} x {variant} that agree with `where`; an axis left out stands
/// at its first value.
struct Selection {
  std::map<std::string, std::vector<std::string>> where;
  std::vector<std::string> variants;
  int rounds = 6;
  double limit_s = 0;  ///< 0: the case's own
};

struct Profile {
  std::string name;
  std::string why;
  std::vector<Selection> selections;
};

struct Subject {
  std::string name;     ///< "halide-19.0.0"
  std::string version;  ///< "19.0.0"
  std::string sha256;   ///< of the library or program under study
};

struct Case {
  std::string name;
  std::string why;     ///< one sentence
  std::string readme;  ///< path of the case's README, copied into the run's folder
  Subject subject;
  std::vector<Axis> axes;  ///< at least one value each
  std::vector<Variant> variants;
  std::string stages_from =
      "";  ///< the variant whose stages stand for the baseline's, when that one shows none
  std::vector<Patch> patches;
  std::vector<Claim> claims;
  std::vector<Profile> profiles;
  double limit_s = 600;  ///< of the timed region
  /// True: the loop can run only once per process (a first call), whatever the command line says.
  std::function<bool(const Params&, const std::string& variant)> once = nullptr;
};

/// "case/axis:value/.../variant:name", axes in the order of their declaration.
[[nodiscard]] std::string trial_name(const Case& declared, const Params& params,
                                     std::string_view variant);

/// The names of axes, variants, patches...
[[nodiscard]] std::vector<std::string> names_of(const auto& items) {
  std::vector<std::string> names;
  for (const auto& item : items) names.push_back(item.name);
  return names;
}

/// The item with this name, or the end.
[[nodiscard]] auto named(auto& items, const std::string& name) {
  return std::find_if(items.begin(), items.end(),
                      [&](const auto& item) { return item.name == name; });
}

/// The number an axis value stands for: 8 for "8", the product for "3072x2048"; nothing for a word.
[[nodiscard]] std::optional<double> magnitude(const std::string& value);

/// The same for a value of this axis, whose words may have sizes.
[[nodiscard]] std::optional<double> size_of(const Axis& axis, const std::string& value);

/// The product of the sizes of a point's values; words without a size count as 1.
[[nodiscard]] double size_of_point(const Case& declared, const Params& params);

}  // namespace cliffbench
