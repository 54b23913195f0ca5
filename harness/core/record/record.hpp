#pragma once

/// The JSON files of a folder (plans, sessions, declarations, a gate's evidence). The last field of
/// each is `check`, the XXH64 of everything before it: a damaged file is refused.

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "harness/core/host/exact.hpp"
#include "harness/core/host/file.hpp"
#include "harness/core/text/text.hpp"

namespace cliffbench {

/// The file's text: the JSON object, which is not empty, and its check.
[[nodiscard]] std::string record_text(const nlohmann::json& json);
void write_record(const std::filesystem::path& path, const nlohmann::json& json);

/// Without the check. Throws CannotMeasure when the text is damaged or has another schema; `name`
/// is the file's in that sentence.
[[nodiscard]] nlohmann::json parse_record(const std::string& text, const std::string& name);
[[nodiscard]] nlohmann::json read_record(const std::filesystem::path& path, Links = Links::refused);

/// The .json files of a folder, by name.
[[nodiscard]] std::vector<std::filesystem::path> json_files(const std::filesystem::path& folder);

/// Parses the JSON of a file that should hold `what` ("a plan") by `parse`. Throws
/// CannotMeasure with the file's name and what is wrong when `parse` throws.
template <typename Parse>
[[nodiscard]] auto parse_file(const std::filesystem::path& path, const char* what,
                              const nlohmann::json& json, const Parse& parse) {
  try {
    return parse(json);
  } catch (const std::exception& error) {
    throw CannotMeasure(path.string() + " is not " + what +
                        " that this program can read: " + what_is_wrong(error));
  }
}

}  // namespace cliffbench
