#include "harness/record/record.hpp"

#include <fmt/format.h>

#include <set>
#include <vector>

#include "harness/case/describe.hpp"
#include "harness/text/text.hpp"

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace cliffbench {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

constexpr std::string_view kChecksum = ",\n \"check\": \"";

/// The end of a text that starts like this.
std::string checksum_of(std::string_view start) {
  constexpr XXH64_hash_t kSeed = 0;
  return fmt::format("{}{:016x}\"\n}}\n", kChecksum, XXH64(start.data(), start.size(), kSeed));
}

/// Refuses what the library would let pass: a field that is there twice (the last would win), and
/// depths that nothing of ours has. Discarded when the text is no JSON.
Json parse_strictly(const std::string& text, const std::string& name) {
  std::vector<std::set<std::string>> fields;  // of the objects that are open
  const auto look = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    constexpr int kDeepest = 32;
    if (depth > kDeepest) throw CannotMeasure(name + " is nested too deeply");
    if (event == Json::parse_event_t::object_start) fields.emplace_back();
    if (event == Json::parse_event_t::object_end) fields.pop_back();
    if (event == Json::parse_event_t::key && !fields.back().insert(parsed).second) {
      throw CannotMeasure(fmt::format("{} has the field {} twice", name, parsed.dump()));
    }
    return true;
  };
  return Json::parse(text, look, false);
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
  const bool sealed = start != text.npos;
  if (sealed && text.substr(start) != checksum_of({text.data(), start})) {
    throw CannotMeasure(name + " is damaged: its checksum does not match");
  }
  Json json = parse_strictly(text, name);
  if (json.is_discarded()) throw CannotMeasure(name + " is not valid JSON");
  if (!json.is_object()) throw CannotMeasure(name + " is not a JSON object");
  if (!sealed) throw CannotMeasure(name + " is damaged: it has lost its checksum");
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
