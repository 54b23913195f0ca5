#include <fmt/format.h>

#include <algorithm>

#include "harness/case/case.hpp"
#include "harness/case/claim_grammar.hpp"
#include "harness/kit/case_reader.hpp"

namespace cliffbench {
namespace {

/// Each "{}" becomes the word.
std::string filled(std::string text, const std::string& word) {
  for (size_t at = 0; (at = text.find("{}", at)) != text.npos; at += word.size()) {
    text.replace(at, 2, word);
  }
  return text;
}

/// What `each` stands for: words, or variants by their kind.
std::vector<std::string> words_of(const DataNode& each, const ReadCase& read) {
  const auto words = each.words();
  const bool patches = words == std::vector<std::string>{"patches"};
  if (!patches && words != std::vector<std::string>{"controls"}) return words;
  std::vector<std::string> names;
  for (const Variant& variant : read.declared.variants) {
    if (variant.role == (patches ? Role::patch : Role::control)) names.push_back(variant.name);
  }
  return names;
}

/// An exponent needs sizes.
void check_line(const Claim& claim, const Case& declared) {
  for (const Axis& axis : declared.axes) {
    if (axis.name != claim.axis) continue;
    const auto sized =
        std::count_if(axis.values.begin(), axis.values.end(),
                      [&](const std::string& value) { return size_of(axis, value).has_value(); });
    if (sized < 2) {
      throw UserError(fmt::format("the axis {} has fewer than two sizes to grow along", axis.name));
    }
    if (claim.where.contains(axis.name)) {
      throw UserError(fmt::format("the claim is along {} and at one of its values", axis.name));
    }
  }
}

Claim read_claim(const DataNode& node, const std::string& word, const ReadCase& read) {
  Claim claim;
  const DataNode& line = node.need("claim");
  blaming(line, [&] { claim = parse_claim(filled(line.text(), word)); });
  claim.id = filled(node.need("id").text(), word);
  claim.text = filled(node.need("says").text(), word);
  if (const DataNode* control = node.find("control")) claim.control = control->flag();
  claim.source = claim.control ? node.text_or("source", "control") : node.need("source").text();
  claim.machine = node.text_or("machine", "");
  if (const DataNode* origin = node.find("origin")) {
    claim.origin = word_in(*origin, {Origin::ours, Origin::theirs});
  }
  if (const DataNode* expected = node.find("expected")) {
    claim.expected = word_in(*expected, {Verdict::held, Verdict::refuted, Verdict::undecided});
  }
  for (const auto& [axis, value] : read.claims_at) {
    if (axis != claim.axis) claim.where.try_emplace(axis, value);
  }
  blaming(line, [&] {
    check_claim(claim, read.declared);
    check_line(claim, read.declared);
  });
  return claim;
}

}  // namespace

void read_claims(const DataNode& claims, ReadCase& read) {
  auto& all = read.declared.claims;
  const size_t inherited = all.size();
  for (const DataNode& node : claims.items()) {
    node.allow({"id", "says", "claim", "only", "except", "each", "control", "origin", "expected",
                "machine", "source"});
    if (!is_meant(node, read.declared)) continue;
    const DataNode* each = node.find("each");
    for (const std::string& word : each ? words_of(*each, read) : std::vector<std::string>{""}) {
      Claim claim = read_claim(node, word, read);
      const auto same = std::find_if(all.begin(), all.end(),
                                     [&](const Claim& one) { return one.id == claim.id; });
      if (same == all.end()) {
        all.push_back(std::move(claim));
      } else if (same < all.begin() + static_cast<std::ptrdiff_t>(inherited)) {
        *same = std::move(claim);
      } else {
        throw node.wrong(fmt::format("two claims with the id '{}'", claim.id));
      }
    }
  }
}

}  // namespace cliffbench
