#pragma once

/// A data file (TOML), read into values that know their line, with tables in the order of the
/// file. Everything that is wrong throws UserError: "FILE:LINE: sentence".

#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "harness/text/text.hpp"

namespace cliffbench {

class DataNode {
 public:
  enum class Kind { text, number, flag, list, table };
  using Fields = std::vector<std::pair<std::string, DataNode>>;

  DataNode(Kind kind, std::shared_ptr<const std::string> file, unsigned line)
      : kind_(kind), file_(std::move(file)), line_(line) {}

  /// For the caller to throw.
  [[nodiscard]] UserError wrong(const std::string& sentence) const;

  [[nodiscard]] Kind kind() const { return kind_; }
  /// Throw when the value is of another kind.
  [[nodiscard]] const std::string& text() const;
  [[nodiscard]] double number() const;
  [[nodiscard]] bool flag() const;
  [[nodiscard]] const std::vector<DataNode>& items() const;
  [[nodiscard]] const Fields& fields() const;
  /// A text or a number as it stands, or a list of those.
  [[nodiscard]] std::vector<std::string> words() const;

  /// Of a table: the value, or nullptr; one that must be there; one with a default.
  [[nodiscard]] const DataNode* find(std::string_view key) const;
  [[nodiscard]] const DataNode& need(std::string_view key) const;
  [[nodiscard]] std::string text_or(std::string_view key, const std::string& otherwise) const;
  [[nodiscard]] std::vector<std::string> words_or_none(std::string_view key) const;
  /// Throws for a key that is none of these.
  void allow(std::initializer_list<std::string_view> keys) const;

 private:
  friend class DataBuilder;
  void expect(Kind kind) const;

  Kind kind_;
  std::shared_ptr<const std::string> file_;
  unsigned line_;
  std::string text_;  // of a number: as it stands
  double number_ = 0;
  std::vector<DataNode> items_;
  Fields fields_;
};

/// The table of a whole file; `file` is its name in sentences.
[[nodiscard]] DataNode parse_data(std::string_view text, const std::string& file);

}  // namespace cliffbench
