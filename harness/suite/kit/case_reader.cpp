#include "harness/suite/kit/case_reader.hpp"

#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>

#include "harness/suite/case/claim_grammar.hpp"
#include "harness/suite/case/declaration.hpp"

namespace cliffbench {
namespace {

bool matches(const std::string& name, const std::string& pattern) {
  return fnmatch(pattern.c_str(), name.c_str(), 0) == 0;
}

/// Replaces the item of the same name, or adds it.
template <typename Item>
void put(std::vector<Item>& items, Item item) {
  const auto same = named(items, item.name);
  if (same == items.end()) {
    items.push_back(std::move(item));
  } else {
    *same = std::move(item);
  }
}

/// Restricts a name's characters, because it appears in benchmark names, filters and lists.
void require_word(const toml::node& at, const std::string& text) {
  constexpr const char* kNoPart = " \t\n/:,=|\"'()[]{}*?!\\";
  if (!text.empty() && text.find_first_of(kNoPart) == text.npos && printable(text) == text) return;
  throw wrong(at, fmt::format("'{}' cannot be part of a benchmark's name", printable(text)));
}

void read_axes(const toml::node& axes, Case& declared) {
  for (const auto& [name, node] : fields_of(axes)) {
    const toml::table& table = table_of(*node);
    allow(table, {"unit", "values", "sizes"});
    require_word(table, name);
    const auto same = named(declared.axes, name);
    Axis axis = same == declared.axes.end() ? Axis{.name = name} : *same;
    axis.unit = text_or(table, "unit", axis.unit);
    if (const toml::node* values = table.get("values")) axis.values = words_of(*values);
    for (const std::string& value : axis.values) require_word(table, value);
    blaming(table, [&] { check_values(axis); });
    if (const toml::node* sizes = table.get("sizes")) {
      for (const auto& [value, size] : fields_of(*sizes)) {
        const double number = number_of(*size);
        blaming(*size, [&, &key = value] { check_size(axis, key, number); });
        axis.sizes[value] = number;
      }
    }
    const bool sized = std::ranges::any_of(
        axis.values, [&](const std::string& value) { return size_of(axis, value).has_value(); });
    if (sized && axis.unit.empty()) {
      throw wrong(table, fmt::format("the axis {} has sizes but no unit", name));
    }
    put(declared.axes, std::move(axis));
  }
}

/// Reads a variant: a table, or only a text, which is its `why`.
Variant read_variant(const std::string& name, const toml::node& node, const CaseContext& context) {
  require_word(node, name);
  const toml::table none;
  const toml::table& table = node.is_string() ? none : table_of(node);
  allow(table, {"why", "role", "patches", "same_output_as"});
  Variant variant{.name = name};
  variant.why = text_of(node.is_string() ? node : need(table, "why"));
  if (name == "baseline") variant.role = Role::baseline;
  if (name == "control") variant.role = Role::control;
  read_word(table, "role", {Role::baseline, Role::control, Role::patch, Role::reference},
            variant.role);
  if (const toml::node* patches = table.get("patches")) {
    variant.patches = words_of(*patches);
  } else if (variant.role == Role::patch) {
    variant.patches = {name};  // a variant that is named after a patch has it
  }
  const auto known = names_of(context.patches);
  for (const std::string& patch : variant.patches) {
    if (contains(known, patch)) continue;
    throw wrong(node, no_such("patch", patch, known));
  }
  variant.equals = text_or(table, "same_output_as", variant.equals);
  if (variant.equals == "nothing") variant.equals = "";
  return variant;
}

void read_variants(const toml::node& node, const CaseContext& context, Case& declared) {
  for (const auto& [name, variant] : fields_of(node)) {
    put(declared.variants, read_variant(name, *variant, context));
  }
  blaming(node, [&] { check_variants(declared); });
}

void read_groups(const toml::node& groups, ReadCase& read) {
  for (const auto& [name, node] : fields_of(groups)) {
    require_word(*node, name);
    if (contains(names_of(read.declared.variants), name)) {
      throw wrong(*node, fmt::format("'{}' is a variant; a group needs another name", name));
    }
    read.groups[name] = variants_of(words_of(*node), read, *node);
  }
}

/// "n=1, format=a", if it is there.
void read_point(const toml::table& table, std::string_view key, const Case& declared,
                Params& point) {
  const toml::node* node = table.get(key);
  if (!node) return;
  const std::string& text = text_of(*node);
  blaming(*node, [&] {
    point = parse_point(text);
    check_point(point, declared);
  });
}

/// The cards of the patches that some variant has.
std::vector<Patch> cards_of(const Case& declared, const CaseContext& context) {
  std::vector<Patch> cards = context.patches;
  std::erase_if(cards, [&](const Patch& card) {
    return std::none_of(declared.variants.begin(), declared.variants.end(),
                        [&](const auto& one) { return contains(one.patches, card.name); });
  });
  return cards;
}

void leave_out_claims(const toml::table& table, Case& declared) {
  for (const std::string& id : words_or_none(table, "without")) {
    if (std::erase_if(declared.claims, [&](const Claim& claim) { return claim.id == id; }))
      continue;
    throw wrong(need(table, "without"), fmt::format("there is no claim '{}' to leave out", id));
  }
}

}  // namespace

void read_case(const toml::table& table, const CaseContext& context, ReadCase& read) {
  allow(table, {"name", "why", "limit_s", "like", "without", "stages_from", "claims_at", "axes",
                "variants", "groups", "claim", "profiles"});
  Case& declared = read.declared;
  declared.name = text_of(need(table, "name"));
  require_word(need(table, "name"), declared.name);
  declared.subject = context.subject;
  declared.readme = context.readme;
  declared.why = text_or(table, "why", declared.why);
  if (declared.why.empty()) (void)need(table, "why");
  if (const toml::node* limit = table.get("limit_s")) {
    declared.limit_s = number_of(*limit);
    if (declared.limit_s <= 0) throw wrong(*limit, "a limit is above 0 s");
  }
  if (const toml::node* axes = table.get("axes")) read_axes(*axes, declared);
  if (const toml::node* node = table.get("variants")) read_variants(*node, context, declared);
  if (declared.variants.empty()) (void)need(table, "variants");
  declared.patches = cards_of(declared, context);
  if (const toml::node* stages = table.get("stages_from")) {
    declared.stages_from = variants_of({text_of(*stages)}, read, *stages).front();
  }
  if (const toml::node* groups = table.get("groups")) read_groups(*groups, read);
  read_point(table, "claims_at", declared, read.claims_at);
  leave_out_claims(table, declared);
  if (const toml::node* claims = table.get("claim")) read_claims(*claims, read);
  if (const toml::node* profiles = table.get("profiles")) read_profiles(*profiles, read);
}

bool is_meant(const toml::table& table, const Case& declared) {
  const auto any = [&](const char* key) {
    const auto patterns = words_or_none(table, key);
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return matches(declared.subject.name, pattern) || matches(declared.name, pattern);
    });
  };
  return (!table.contains("only") || any("only")) && !any("except");
}

std::vector<std::string> variants_of(const std::vector<std::string>& words, const ReadCase& read,
                                     const toml::node& at) {
  const auto known = names_of(read.declared.variants);
  const auto meant = [&](const std::string& word) {
    const auto group = read.groups.find(word);
    if (group != read.groups.end()) return group->second;
    std::vector<std::string> found;
    for (const std::string& name : known) {
      if (matches(name, word)) found.push_back(name);
    }
    if (!found.empty()) return found;
    throw wrong(at, no_such("variant", word, known));
  };
  std::vector<std::string> all;
  for (const std::string& word : words) {
    const bool without = word.starts_with('!');
    for (const std::string& name : meant(without ? word.substr(1) : word)) {
      if (without) {
        std::erase(all, name);
      } else if (!contains(all, name)) {
        all.push_back(name);
      }
    }
  }
  if (all.empty()) throw wrong(at, "no variant is named");
  return all;
}

void blaming(const toml::node& at, const std::function<void()>& body) {
  try {
    body();
  } catch (const UserError& error) {
    throw wrong(at, error.what());
  }
}

}  // namespace cliffbench
