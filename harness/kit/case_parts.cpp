#include <fmt/format.h>
#include <fnmatch.h>

#include <algorithm>
#include <set>
#include <sstream>

#include "harness/case/claim_grammar.hpp"
#include "harness/kit/case_reader.hpp"

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

/// It is part of a benchmark's name, of filters and of lists.
void require_word(const DataNode& at, const std::string& text) {
  constexpr const char* kNoPart = " \t\n/:,=|\"'()[]{}*?!\\";
  if (!text.empty() && text.find_first_of(kNoPart) == text.npos && printable(text) == text) return;
  throw at.wrong(fmt::format("'{}' cannot be part of a benchmark's name", printable(text)));
}

void read_axes(const DataNode& table, Case& declared) {
  for (const auto& [name, node] : table.fields()) {
    node.allow({"unit", "values", "sizes"});
    require_word(node, name);
    const auto same = named(declared.axes, name);
    Axis axis = same == declared.axes.end() ? Axis{.name = name} : *same;
    axis.unit = node.text_or("unit", axis.unit);
    if (const DataNode* values = node.find("values")) axis.values = values->words();
    if (axis.values.empty()) throw node.wrong(fmt::format("the axis {} has no values", name));
    for (const std::string& value : axis.values) require_word(node, value);
    if (std::set(axis.values.begin(), axis.values.end()).size() != axis.values.size()) {
      throw node.wrong(fmt::format("the axis {} has a value twice", name));
    }
    if (const DataNode* sizes = node.find("sizes")) {
      for (const auto& [value, size] : sizes->fields()) {
        blaming(size, [&, &key = value] { check_point({{name, key}}, Case{.axes = {axis}}); });
        if (size.number() <= 0) throw size.wrong("a size is above 0");
        axis.sizes[value] = size.number();
      }
    }
    put(declared.axes, std::move(axis));
  }
}

Role role_of(const DataNode* node, const std::string& name) {
  if (node) return word_in(*node, {Role::baseline, Role::control, Role::patch, Role::reference});
  if (name == "baseline") return Role::baseline;
  return name == "control" ? Role::control : Role::patch;
}

Variant read_variant(const std::string& name, const DataNode& node, const CaseContext& context) {
  require_word(node, name);
  Variant variant{.name = name};
  const bool is_text = node.kind() == DataNode::Kind::text;
  if (!is_text) node.allow({"why", "role", "patches", "same_output_as"});
  variant.why = is_text ? node.text() : node.need("why").text();
  variant.role = role_of(is_text ? nullptr : node.find("role"), name);
  const DataNode* patches = is_text ? nullptr : node.find("patches");
  const auto known = names_of(context.patches);
  if (patches) {
    variant.patches = patches->words();
  } else if (variant.role == Role::patch) {
    variant.patches = {name};  // a variant that is named after a patch has it
  }
  for (const std::string& patch : variant.patches) {
    if (contains(known, patch)) continue;
    throw node.wrong(fmt::format("no patch '{}'; this program has code for {}", patch,
                                 known.empty() ? "none" : joined(known)));
  }
  if (is_text) return variant;
  const std::string equals = node.text_or("same_output_as", "baseline");
  variant.equals = equals == "nothing" ? "" : equals;
  return variant;
}

void read_variants(const DataNode& table, const CaseContext& context, ReadCase& read) {
  Case& declared = read.declared;
  for (const auto& [name, node] : table.fields()) {
    put(declared.variants, read_variant(name, node, context));
  }
  const auto baselines =
      std::count_if(declared.variants.begin(), declared.variants.end(),
                    [](const Variant& variant) { return variant.role == Role::baseline; });
  if (baselines != 1) throw table.wrong("there must be one variant of role baseline");
  for (const Variant& variant : declared.variants) {
    if (variant.equals.empty() || contains(names_of(declared.variants), variant.equals)) continue;
    throw table.wrong(fmt::format("{} has the same output as {}, which is not a variant",
                                  variant.name, variant.equals));
  }
}

void read_groups(const DataNode& table, ReadCase& read) {
  for (const auto& [name, node] : table.fields()) {
    require_word(node, name);
    if (named(read.declared.variants, name) != read.declared.variants.end()) {
      throw node.wrong(fmt::format("'{}' is a variant; a group needs another name", name));
    }
    read.groups[name] = variants_of(node.words(), read, node);
  }
}

/// "Halide {version}" -> "Halide 19.0.0". What else stands in braces is left.
std::string with_version(std::string text, const Subject& subject) {
  constexpr std::string_view kVersion = "{version}";
  const size_t at = text.find(kVersion);
  return at == text.npos ? text : text.replace(at, kVersion.size(), subject.version);
}

void read_headline(const DataNode& table, ReadCase& read) {
  table.allow({"asks", "about", "at", "answers"});
  const Case& declared = read.declared;
  Headline headline{table.need("asks").text(),
                    with_version(table.need("about").text(), declared.subject)};
  if (const DataNode* at = table.find("at")) {
    blaming(*at, [&] {
      headline.where = parse_point(at->text());
      check_point(headline.where, declared);
    });
  }
  for (const DataNode& answer : table.need("answers").items()) {
    answer.allow({"says", "variant", "subject", "only", "except"});
    const DataNode& variant = answer.need("variant");
    if (variants_of({variant.text()}, read, variant).size() != 1) {
      throw variant.wrong("an answer is about one variant");
    }
    if (!is_meant(answer, declared)) continue;
    headline.answers.push_back(
        {answer.need("says").text(), variant.text(), answer.text_or("subject", "")});
  }
  read.declared.headline = headline;
}

void read_limit(const DataNode& node, Case& declared) {
  declared.limit_s = node.number();
  if (declared.limit_s <= 0) throw node.wrong("a limit is above 0 s");
}

/// The cards of the patches that variants have.
std::vector<Patch> cards_of(const Case& declared, const CaseContext& context) {
  std::vector<Patch> cards;
  for (const Patch& card : context.patches) {
    const bool used =
        std::any_of(declared.variants.begin(), declared.variants.end(),
                    [&](const Variant& variant) { return contains(variant.patches, card.name); });
    if (used) cards.push_back(card);
  }
  return cards;
}

}  // namespace

void read_case(const DataNode& table, const CaseContext& context, ReadCase& read) {
  table.allow({"name", "why", "limit_s", "like", "without", "stages_from", "claims_at", "axes",
               "variants", "groups", "headline", "claim", "profiles"});
  Case& declared = read.declared;
  declared.name = table.need("name").text();
  require_word(table.need("name"), declared.name);
  declared.subject = context.subject;
  declared.readme = context.readme;
  declared.why = table.text_or("why", declared.why);
  if (declared.why.empty()) (void)table.need("why");
  if (const DataNode* limit = table.find("limit_s")) read_limit(*limit, declared);
  if (const DataNode* axes = table.find("axes")) read_axes(*axes, declared);
  if (const DataNode* variants = table.find("variants")) read_variants(*variants, context, read);
  if (declared.variants.empty()) (void)table.need("variants");
  declared.patches = cards_of(declared, context);
  if (const DataNode* stages = table.find("stages_from")) {
    declared.stages_from = variants_of({stages->text()}, read, *stages).front();
  }
  if (const DataNode* groups = table.find("groups")) read_groups(*groups, read);
  if (const DataNode* at = table.find("claims_at")) {
    blaming(*at, [&] {
      read.claims_at = parse_point(at->text());
      check_point(read.claims_at, declared);
    });
  }
  if (const DataNode* headline = table.find("headline")) read_headline(*headline, read);
  for (const std::string& id : table.words_or_none("without")) {
    if (std::erase_if(declared.claims, [&](const Claim& claim) { return claim.id == id; }))
      continue;
    throw table.need("without").wrong(fmt::format("there is no claim '{}' to leave out", id));
  }
  if (const DataNode* claims = table.find("claim")) read_claims(*claims, read);
  if (const DataNode* profiles = table.find("profiles")) read_profiles(*profiles, read);
}

bool is_meant(const DataNode& table, const Case& declared) {
  const auto any = [&](const char* key) {
    const auto patterns = table.words_or_none(key);
    return std::any_of(patterns.begin(), patterns.end(), [&](const std::string& pattern) {
      return matches(declared.subject.name, pattern) || matches(declared.name, pattern);
    });
  };
  return (!table.find("only") || any("only")) && !any("except");
}

std::string trimmed(std::string text) {
  while (text.ends_with(' ')) text.pop_back();
  return text;
}

std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  std::istringstream stream(text);
  for (std::string word; std::getline(stream >> std::ws, word, ',');) {
    words.push_back(trimmed(word));
  }
  return words;
}

std::vector<std::string> variants_of(const std::vector<std::string>& words, const ReadCase& read,
                                     const DataNode& at) {
  const auto known = names_of(read.declared.variants);
  const auto meant = [&](const std::string& word) {
    const auto group = read.groups.find(word);
    if (group != read.groups.end()) return group->second;
    std::vector<std::string> found;
    for (const std::string& name : known) {
      if (matches(name, word)) found.push_back(name);
    }
    if (!found.empty()) return found;
    throw at.wrong(
        fmt::format("no variant '{}'; {} has {}", word, read.declared.name, joined(known)));
  };
  std::vector<std::string> all;
  for (const std::string& word : words) {
    const bool without = word.starts_with('!');
    for (const std::string& name : meant(without ? word.substr(1) : word)) {
      const auto there = std::find(all.begin(), all.end(), name);
      if (without && there != all.end()) all.erase(there);
      if (!without && there == all.end()) all.push_back(name);
    }
  }
  if (all.empty()) throw at.wrong("no variant is named");
  return all;
}

void blaming(const DataNode& at, const std::function<void()>& body) {
  try {
    body();
  } catch (const UserError& error) {
    throw at.wrong(error.what());
  }
}

}  // namespace cliffbench
