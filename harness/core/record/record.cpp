#include "harness/core/record/record.hpp"

#include <fmt/format.h>

#include "harness/core/record/params.hpp"
#include "harness/core/text/text.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kChecksum = ",\n \"check\": \"";

/// The end of a text that begins with `start`: its check.
std::string checksum_of(std::string_view start) {
  constexpr XXH64_hash_t kSeed = 0;
  return fmt::format("{}{:016x}\"\n}}\n", kChecksum, XXH64(start.data(), start.size(), kSeed));
}

}  // namespace

std::string record_text(const Json& json) {
  std::string text = json.dump(1, ' ', false, Json::error_handler_t::replace);
  text.resize(text.size() - 2);  // the line end and the brace
  return text + checksum_of(text);
}

void write_record(const fs::path& path, const Json& json) { write_file(path, record_text(json)); }

Json parse_record(const std::string& text, const std::string& name) {
  const size_t start = text.rfind(kChecksum);
  if (start == text.npos) {
    throw CannotMeasure(name + " has no checksum: it is damaged, or cliffbench did not write it");
  }
  if (text.substr(start) != checksum_of({text.data(), start})) {
    throw CannotMeasure(name + " is damaged: its checksum does not match");
  }
  Json json = Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw CannotMeasure(name + " is not valid JSON");
  json.erase("check");
  const auto schema = json.find("schema");
  if (schema != json.end() && *schema != kSchema) {
    throw CannotMeasure(fmt::format("{} has schema {}, this program reads schema {}", name,
                                    schema->dump(), kSchema));
  }
  return json;
}

Json read_record(const fs::path& path, Links links) {
  return parse_record(read_file(path, links), path.string());
}

std::vector<fs::path> json_files(const fs::path& folder) {
  std::vector<fs::path> files;
  for (const auto& entry : entries_of(folder)) {
    if (entry.path().extension() == ".json") files.push_back(entry.path());
  }
  return files;
}

}  // namespace cliffbench
