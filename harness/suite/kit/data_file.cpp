#include "harness/suite/kit/data_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace cliffbench {
namespace {

UserError unexpected(const toml::node& node, std::string_view expected) {
  std::string_view kind = node.is_array() ? "a list" : "a table";
  if (node.is_string()) kind = "a text";
  if (node.is_number()) kind = "a number";
  if (node.is_boolean()) kind = "true or false";
  return wrong(node, fmt::format("{} where {} should be", kind, expected));
}

/// A text or a number as it is written.
std::string as_it_stands(const toml::node& node) {
  if (const auto* whole = node.as_integer()) return std::to_string(whole->get());
  if (node.is_number()) return fmt::format("{}", number_of(node));
  return text_of(node);
}

/// Throws for values that no data file may have.
void check_kinds(const toml::node& node) {
  const auto* number = node.as_floating_point();
  if (number && !std::isfinite(number->get())) throw wrong(node, "not a number");
  if (node.is_date() || node.is_time() || node.is_date_time()) {
    throw wrong(node, "a date or a time, which is not allowed here");
  }
  if (const auto* list = node.as_array()) {
    for (const toml::node& item : *list) check_kinds(item);
  }
  if (const auto* table = node.as_table()) {
    for (const auto& [key, value] : *table) check_kinds(value);
  }
}

}  // namespace

toml::table parse_data(std::string_view text, const std::string& file) {
  try {
    toml::table root = toml::parse(text, file);
    check_kinds(root);
    return root;
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
  }
}

UserError wrong(const toml::node& at, const std::string& sentence) {
  return UserError(fmt::format("{}:{}: {}", *at.source().path, at.source().begin.line, sentence));
}

const std::string& text_of(const toml::node& node) {
  if (const auto* text = node.as_string()) return text->get();
  throw unexpected(node, "a text");
}

double number_of(const toml::node& node) {
  if (const auto* whole = node.as_integer()) return static_cast<double>(whole->get());
  if (const auto* broken = node.as_floating_point()) return broken->get();
  throw unexpected(node, "a number");
}

bool flag_of(const toml::node& node) {
  if (const auto* flag = node.as_boolean()) return flag->get();
  throw unexpected(node, "true or false");
}

const toml::array& list_of(const toml::node& node) {
  if (const auto* list = node.as_array()) return *list;
  throw unexpected(node, "a list");
}

const toml::table& table_of(const toml::node& node) {
  if (const auto* table = node.as_table()) return *table;
  throw unexpected(node, "a table");
}

std::vector<std::string> words_of(const toml::node& node) {
  if (node.is_string() || node.is_number()) return {as_it_stands(node)};
  std::vector<std::string> words;
  for (const toml::node& item : list_of(node)) words.push_back(as_it_stands(item));
  return words;
}

std::vector<std::pair<std::string, const toml::node*>> fields_of(const toml::node& node) {
  std::vector<std::pair<const toml::key*, const toml::node*>> ordered;  // toml++: by name
  for (const auto& [key, value] : table_of(node)) ordered.emplace_back(&key, &value);
  std::stable_sort(ordered.begin(), ordered.end(), [](const auto& one, const auto& two) {
    return one.first->source().begin < two.first->source().begin;
  });
  std::vector<std::pair<std::string, const toml::node*>> fields;
  for (const auto& [key, value] : ordered) fields.emplace_back(key->str(), value);
  return fields;
}

const toml::node& need(const toml::table& table, std::string_view key) {
  if (const toml::node* found = table.get(key)) return *found;
  throw wrong(table, fmt::format("'{}' is missing", key));
}

std::string text_or(const toml::table& table, std::string_view key, const std::string& otherwise) {
  const toml::node* found = table.get(key);
  return found ? text_of(*found) : otherwise;
}

std::vector<std::string> words_or_none(const toml::table& table, std::string_view key) {
  const toml::node* found = table.get(key);
  return found ? words_of(*found) : std::vector<std::string>();
}

void allow(const toml::table& table, std::initializer_list<std::string_view> keys) {
  for (const auto& [name, value] : fields_of(table)) {
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
    throw wrong(*value, no_such("key", name, {keys.begin(), keys.end()}));
  }
}

}  // namespace cliffbench
