#include "harness/case/data_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#define TOML_EXCEPTIONS 1
#include <toml++/toml.h>

namespace cliffbench {

/// From the library's nodes to ours. It keeps tables by name, so their order is that of the lines.
class DataBuilder {
 public:
  explicit DataBuilder(const std::string& file)
      : file_(std::make_shared<const std::string>(file)) {}

  [[nodiscard]] DataNode node(const toml::node& from) const {
    using Kind = DataNode::Kind;
    if (const auto* text = from.as_string()) {
      DataNode made = begun(Kind::text, from);
      made.text_ = text->get();
      return made;
    }
    if (const auto* whole = from.as_integer()) {
      return number(from, static_cast<double>(whole->get()), std::to_string(whole->get()));
    }
    if (const auto* broken = from.as_floating_point()) {
      if (!std::isfinite(broken->get())) throw begun(Kind::number, from).wrong("not a number");
      return number(from, broken->get(), fmt::format("{}", broken->get()));
    }
    if (const auto* flag = from.as_boolean()) {
      DataNode made = begun(Kind::flag, from);
      made.number_ = flag->get();
      return made;
    }
    if (const auto* list = from.as_array()) {
      DataNode made = begun(Kind::list, from);
      for (const toml::node& item : *list) made.items_.push_back(node(item));
      return made;
    }
    if (const auto* fields = from.as_table()) return table(*fields);
    throw begun(Kind::text, from).wrong("a date or a time, which nothing here takes");
  }

 private:
  [[nodiscard]] DataNode begun(DataNode::Kind kind, const toml::node& from) const {
    return {kind, file_, from.source().begin.line};
  }
  [[nodiscard]] DataNode number(const toml::node& from, double value, std::string text) const {
    DataNode made = begun(DataNode::Kind::number, from);
    made.number_ = value;
    made.text_ = std::move(text);
    return made;
  }
  [[nodiscard]] DataNode table(const toml::table& from) const {
    std::vector<std::pair<toml::source_position, std::pair<std::string, const toml::node*>>>
        ordered;
    for (const auto& [key, value] : from) {
      ordered.push_back({key.source().begin, {std::string(key.str()), &value}});
    }
    std::stable_sort(ordered.begin(), ordered.end(),
                     [](const auto& one, const auto& two) { return one.first < two.first; });
    DataNode made = begun(DataNode::Kind::table, from);
    for (const auto& [position, field] : ordered) {
      made.fields_.emplace_back(field.first, node(*field.second));
    }
    return made;
  }

  std::shared_ptr<const std::string> file_;
};

namespace {

const char* name_of(DataNode::Kind kind) {
  switch (kind) {
    case DataNode::Kind::text:
      return "a text";
    case DataNode::Kind::number:
      return "a number";
    case DataNode::Kind::flag:
      return "true or false";
    case DataNode::Kind::list:
      return "a list";
    case DataNode::Kind::table:
      return "a table";
  }
  return "";
}

}  // namespace

UserError DataNode::wrong(const std::string& sentence) const {
  return UserError(fmt::format("{}:{}: {}", *file_, line_, sentence));
}

void DataNode::expect(Kind kind) const {
  if (kind_ != kind) {
    throw wrong(fmt::format("{} where {} should be", name_of(kind_), name_of(kind)));
  }
}

const std::string& DataNode::text() const {
  expect(Kind::text);
  return text_;
}

double DataNode::number() const {
  expect(Kind::number);
  return number_;
}

bool DataNode::flag() const {
  expect(Kind::flag);
  return number_ != 0;
}

const std::vector<DataNode>& DataNode::items() const {
  expect(Kind::list);
  return items_;
}

const DataNode::Fields& DataNode::fields() const {
  expect(Kind::table);
  return fields_;
}

std::vector<std::string> DataNode::words() const {
  if (kind_ == Kind::text || kind_ == Kind::number) return {text_};
  std::vector<std::string> all;
  for (const DataNode& item : items()) {
    if (item.kind_ != Kind::number) item.expect(Kind::text);
    all.push_back(item.text_);
  }
  return all;
}

const DataNode* DataNode::find(std::string_view key) const {
  for (const auto& [name, value] : fields()) {
    if (name == key) return &value;
  }
  return nullptr;
}

const DataNode& DataNode::need(std::string_view key) const {
  if (const DataNode* found = find(key)) return *found;
  throw wrong(fmt::format("'{}' is missing", key));
}

std::string DataNode::text_or(std::string_view key, const std::string& otherwise) const {
  const DataNode* found = find(key);
  return found ? found->text() : otherwise;
}

std::vector<std::string> DataNode::words_or_none(std::string_view key) const {
  const DataNode* found = find(key);
  return found ? found->words() : std::vector<std::string>();
}

void DataNode::allow(std::initializer_list<std::string_view> keys) const {
  for (const auto& [name, value] : fields()) {
    if (std::find(keys.begin(), keys.end(), name) != keys.end()) continue;
    throw value.wrong(fmt::format("'{}' is none of {}", name, joined(keys)));
  }
}

DataNode parse_data(std::string_view text, const std::string& file) {
  try {
    return DataBuilder(file).node(toml::parse(text, file));
  } catch (const toml::parse_error& error) {
    throw UserError(fmt::format("{}:{}: {}", file, error.source().begin.line, error.description()));
  }
}

}  // namespace cliffbench
