#pragma once

/// One table of fields for each kind of record: reading, writing, its JSON Schema and its
/// documentation come from that table.

#include <algorithm>
#include <concepts>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "harness/core/record/params.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {

using OrderedJson = nlohmann::ordered_json;

template <typename Record>
struct Field {
  std::string_view name, type, unit, meaning;
  void (*write)(const Record&, OrderedJson&);
  void (*read)(Record&, const OrderedJson&);
  bool needed = false;  ///< any other may be absent
};

template <typename T>
void write_value(const T& value, OrderedJson& json) {
  json = value;
}
template <typename T>
void write_value(const std::optional<T>& value, OrderedJson& json) {
  if (value) {
    write_value(*value, json);
  } else {
    json = nullptr;
  }
}

template <typename T>
void read_value(T& value, const OrderedJson& json) {
  if constexpr (std::integral<T> && !std::same_as<T, bool>) {
    value = whole_number<T>(json);
  } else {
    value = json.get<T>();
  }
}
template <typename T>
void read_value(std::optional<T>& value, const OrderedJson& json) {
  if (json.is_null()) {
    value.reset();
  } else {
    read_value(value.emplace(), json);
  }
}

/// Only for its type: the record of which a pointer to a member is a member.
template <typename Record, typename T>
Record record_of(T Record::*);

/// The member, or one of the record that this member is.
template <auto member, auto... inner>
constexpr auto& member_of(auto& record) {
  if constexpr (sizeof...(inner) == 0) {
    return record.*member;
  } else {
    return member_of<inner...>(record.*member);
  }
}

template <auto member, auto... inner, typename Record = decltype(record_of(member))>
constexpr Field<Record> field(std::string_view name, std::string_view type, std::string_view unit,
                              std::string_view meaning) {
  return {name,
          type,
          unit,
          meaning,
          [](const Record& record, OrderedJson& json) {
            write_value(member_of<member, inner...>(record), json);
          },
          [](Record& record, const OrderedJson& json) {
            read_value(member_of<member, inner...>(record), json);
          }};
}
template <auto member, auto... inner, typename Record = decltype(record_of(member))>
constexpr Field<Record> needed(std::string_view name, std::string_view type,
                               std::string_view meaning) {
  Field<Record> made = field<member, inner...>(name, type, "", meaning);
  made.needed = true;
  return made;
}

/// Adds every field to an object.
template <typename Record>
void write_fields(const std::vector<Field<Record>>& fields, const Record& record,
                  OrderedJson& json) {
  for (const Field<Record>& field : fields) field.write(record, json[std::string(field.name)]);
}

/// Reads the fields that are there and returns how many. Throws CannotMeasure for a needed field
/// that is absent and for a value of another type; the caller puts the subject before its sentence.
template <typename Record>
size_t read_fields(const std::vector<Field<Record>>& fields, const OrderedJson& json,
                   Record& record) {
  size_t known = 0;
  for (const Field<Record>& field : fields) {
    const auto value = json.find(std::string(field.name));
    if (value == json.end() && !field.needed) continue;
    if (value == json.end()) throw CannotMeasure("has no field '" + std::string(field.name) + "'");
    ++known;
    try {
      field.read(record, *value);
    } catch (const CannotMeasure&) {
      throw;  // of a record within this one
    } catch (const std::exception&) {
      throw CannotMeasure("has " + value->dump() + " in field '" + std::string(field.name) +
                          "' instead of: " + std::string(field.type) + " (" +
                          std::string(field.meaning) + ")");
    }
  }
  return known;
}

/// Like `read_fields`, but throws for any other field.
template <typename Record>
void read_exactly(const std::vector<Field<Record>>& fields, const OrderedJson& json,
                  Record& record) {
  if (!json.is_object()) throw CannotMeasure("is not a JSON object");
  if (read_fields(fields, json, record) == json.size()) return;
  for (const auto& [name, value] : json.items()) {
    const auto is_it = [&, given = std::string_view(name)](const auto& field) {
      return field.name == given;
    };
    if (std::ranges::none_of(fields, is_it)) {
      throw CannotMeasure("has an unknown field '" + name + "'");
    }
  }
}

/// The JSON Schema of an object with these fields.
template <typename Record>
OrderedJson fields_schema(const std::vector<Field<Record>>& fields) {
  OrderedJson properties = OrderedJson::object();
  OrderedJson required = OrderedJson::array();
  for (const Field<Record>& field : fields) {
    const std::string name(field.name);
    const std::string_view type = field.type.substr(0, field.type.find(' '));
    OrderedJson& property = properties[name];
    property["type"] = type == field.type ? OrderedJson(type) : OrderedJson{type, "null"};
    if (!field.unit.empty()) property["unit"] = field.unit;
    property["description"] = field.meaning;
    if (field.needed) required.push_back(name);
  }
  return {{"type", "object"}, {"properties", properties}, {"required", required}};
}

/// The same for a whole line or file, which begins with `schema` and ends with `check`.
template <typename Record>
OrderedJson sealed_schema(const std::string& title, const std::vector<Field<Record>>& fields,
                          std::string_view check) {
  OrderedJson whole{{"$schema", "https://json-schema.org/draft/2020-12/schema"}, {"title", title}};
  whole.update(fields_schema(fields));
  OrderedJson properties{{"schema", {{"const", kSchema}}}};
  properties.update(whole["properties"]);
  properties["check"] = {{"type", "string"}, {"description", check}};
  whole["properties"] = properties;
  whole["required"].insert(whole["required"].begin(), "schema");
  return whole;
}

}  // namespace cliffbench
