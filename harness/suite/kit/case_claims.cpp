#include <fmt/format.h>

#include <algorithm>

#include "harness/suite/case/claim_grammar.hpp"
#include "harness/suite/case/declaration.hpp"
#include "harness/suite/kit/case_reader.hpp"

namespace cliffbench {
namespace {

/// The text with each "{}" replaced by the word.
std::string filled(std::string text, const std::string& word) {
  for (size_t at = 0; (at = text.find("{}", at)) != text.npos; at += word.size()) {
    text.replace(at, 2, word);
  }
  return text;
}

/// The words that `each` stands for: its own, or the names of all patches or all controls.
std::vector<std::string> words_of_each(const toml::node* each, const ReadCase& read) {
  if (!each) return {""};
  const auto words = words_of(*each);
  const bool patches = words == std::vector<std::string>{"patches"};
  if (!patches && words != std::vector<std::string>{"controls"}) return words;
  std::vector<std::string> names;
  for (const Variant& variant : read.declared.variants) {
    if (variant.role == (patches ? Role::patch : Role::control)) names.push_back(variant.name);
  }
  return names;
}

/// A claim along an axis needs values with sizes.
void check_line(const Claim& claim, const Case& declared) {
  if (claim.axis.empty()) return;
  const Axis& axis = axis_of(declared, claim.axis);
  const auto sized =
      std::count_if(axis.values.begin(), axis.values.end(),
                    [&](const std::string& value) { return size_of(axis, value).has_value(); });
  if (sized < 2) {
    throw UserError(fmt::format("the axis {} has fewer than two sizes to grow along", axis.name));
  }
  if (claim.where.contains(axis.name)) {
    throw UserError(fmt::format("the claim runs along the axis {} and also fixes it", axis.name));
  }
}

Claim read_claim(const toml::table& table, const std::string& word, const ReadCase& read) {
  Claim claim;
  const toml::node& line = need(table, "claim");
  const std::string text = filled(text_of(line), word);
  blaming(line, [&] { claim = parse_claim(text); });
  claim.id = filled(text_of(need(table, "id")), word);
  claim.text = filled(text_of(need(table, "says")), word);
  if (const toml::node* control = table.get("control")) claim.control = flag_of(*control);
  claim.source =
      claim.control ? text_or(table, "source", "control") : text_of(need(table, "source"));
  claim.machine = text_or(table, "machine", "");
  read_word(table, "origin", {Origin::ours, Origin::theirs}, claim.origin);
  const bool theirs = claim.origin == Origin::theirs;
  claim.figure_by = theirs ? FigureBy::issue : FigureBy::before;
  const auto alternative = theirs ? FigureBy::bounded : FigureBy::after;
  read_word(table, "figure_by", {claim.figure_by, alternative}, claim.figure_by);
  read_word(table, "expected", {Verdict::held, Verdict::refuted, Verdict::undecided},
            claim.expected);
  for (const auto& [axis, value] : read.claims_at) {
    if (axis != claim.axis) claim.where.try_emplace(axis, value);
  }
  blaming(line, [&] {
    check_claim(claim, read.declared);
    check_line(claim, read.declared);
    if (claim.control && claim.quantity != Quantity::ratio) {
      throw UserError("a control compares times: VARIANT ratio");
    }
  });
  return claim;
}

}  // namespace

void read_claims(const toml::node& claims, ReadCase& read) {
  auto& all = read.declared.claims;
  const auto inherited = static_cast<std::ptrdiff_t>(all.size());
  for (const toml::node& node : list_of(claims)) {
    const toml::table& table = table_of(node);
    allow(table, {"id", "says", "claim", "only", "except", "each", "control", "origin", "expected",
                  "figure_by", "machine", "source"});
    if (!is_meant(table, read.declared)) continue;
    for (const std::string& word : words_of_each(table.get("each"), read)) {
      Claim claim = read_claim(table, word, read);
      const auto same = std::find_if(all.begin(), all.end(),
                                     [&](const Claim& one) { return one.id == claim.id; });
      if (same == all.end()) {
        all.push_back(std::move(claim));
      } else if (same - all.begin() < inherited) {
        *same = std::move(claim);
      } else {
        throw wrong(node, fmt::format("two claims with the id '{}'", claim.id));
      }
    }
  }
}

}  // namespace cliffbench
