#include <fmt/format.h>

#include <algorithm>
#include <cctype>

#include "harness/impact/compare.hpp"

namespace cliffbench {
namespace {

/// Reads the code, and then once more where others read what lies behind its end.
void read_all_code(ElfFile& file) {
  const auto note_table = [&](std::uint64_t place) {
    const Function* home = file.function_at(place);
    if (home && home->lies_behind(place))
      file.functions[static_cast<size_t>(home - file.functions.data())].has_table = true;
  };
  for (Function& function : file.functions) read_code(file, function);
  for (const Function& function : file.functions) {
    for (const Instruction& one : function.instructions) {
      if (!one.jumps && !function.lies_behind(one.at)) note_table(one.target);
    }
  }
  for (const auto& [at, word] : file.words) note_table(word.addend);
  for (Function& function : file.functions) {
    if (!function.has_table) continue;
    function.instructions.clear();
    function.is_whole = true;
    read_code(file, function);
  }
}

/// The places that instructions and words name, in order. Reads the code.
std::vector<std::uint64_t> named_places(ElfFile& file) {
  std::vector<std::uint64_t> places;
  read_all_code(file);
  for (const Function& function : file.functions) {
    for (const Instruction& one : function.instructions) places.push_back(one.target);
  }
  for (const auto& [at, word] : file.words) {
    if (word.relative()) places.push_back(word.addend);
  }
  std::ranges::sort(places);
  return places;
}

bool begins_instruction(const ElfFile& file, std::uint64_t address) {
  const Function* function = file.function_at(address);
  return function &&
         std::ranges::binary_search(function->instructions, address, {}, &Instruction::at);
}

/// Whether all of it are distances to instructions, up to zeros that align what follows.
bool is_table(const ElfFile& file, const Chunk& chunk, std::uint64_t size) {
  constexpr std::uint64_t kFewest = 4;  // GCC and Clang make no table for fewer cases
  if (chunk.start % kEntry || size <= (kFewest - 1) * kEntry) return false;
  for (std::uint64_t at = chunk.start; at < chunk.start + size; at += kEntry) {
    if (!begins_instruction(file, place_in_table(file, chunk.start, at))) return false;
  }
  return true;
}

class ChunkReader {
 public:
  explicit ChunkReader(ElfFile& file) : file_(file), places_(named_places(file)) {}

  std::vector<Chunk> read() {
    for (const Section& section : file_.sections) {
      for (std::uint64_t at = section.start; section.is_data && at < section.end;)
        at = add_chunk(section, at);
    }
    std::ranges::sort(chunks_, {}, &Chunk::start);
    return std::move(chunks_);
  }

 private:
  /// Where the one behind it begins.
  std::uint64_t add_chunk(const Section& section, std::uint64_t start) {
    Chunk chunk{{start, section.end}, section.name + " ", false, kNone};
    const auto object = file_.objects.find(start);
    const bool is_named = object != file_.objects.end();
    if (is_named) {
      chunk.end = object->second.end;
      for (const std::string& name : object->second.names) chunk.key += without_number(name) + " ";
    } else if (const auto place = std::ranges::upper_bound(places_, start);
               place != places_.end()) {
      chunk.end = std::min(chunk.end, *place);
    }
    for (auto next = file_.objects.upper_bound(start);
         next != file_.objects.end() && next->first < chunk.end; ++next)
      chunk.end = is_named ? std::max(chunk.end, next->second.end) : next->first;
    chunk.end = std::min(chunk.end, section.end);
    const std::uint64_t next = chunk.end;
    if (!is_named) chunk.end = end_of_text(chunk, section);
    add_content(chunk, is_named);
    return next;
  }

  /// Linkers let a string serve as the end of another: that has its own chunk, in the other's.
  [[nodiscard]] std::uint64_t end_of_text(const Chunk& chunk, const Section& section) const {
    std::uint64_t end = chunk.start;
    while (end < section.end && std::isprint(static_cast<unsigned char>(file_.image[end]))) ++end;
    const bool is_text = end < section.end && file_.image[end] == '\0' && end >= chunk.end;
    return is_text ? end + 1 : chunk.end;
  }

  /// Addresses are compared later (compare.cpp): here it only counts where they are.
  void add_content(Chunk& chunk, bool is_named) {
    std::string content = file_.image.substr(chunk.start, chunk.end - chunk.start);
    const bool has_words = holds_word(file_, chunk);
    if (!is_named && !has_words) {
      const bool is_filler =
          content.size() < kFiller && !std::ranges::binary_search(places_, chunk.start);
      content.resize(content.find_last_not_of('\0') + 1);  // npos + 1 is 0
      if (is_filler && content.empty()) return;
      chunk.is_table = is_table(file_, chunk, content.size());
      if (chunk.is_table) {
        const auto first = place_in_table(file_, chunk.start, chunk.start);
        content = fmt::format("a table of {} for {}", (content.size() + kEntry - 1) / kEntry,
                              file_.name_at(first));
      }
    }
    for (auto word = file_.words.lower_bound(chunk.start);
         word != file_.words.end() && word->first < chunk.end; ++word) {
      const std::uint64_t at = word->first - chunk.start;
      content.replace(at, kWord, kWord, '\0');
      chunk.key += fmt::format("{}:{}:{} ", at, word->second.type, word->second.symbol);
    }
    chunk.key += fmt::format("{} ", content.size()) + content;
    chunks_.push_back(chunk);
  }

  ElfFile& file_;
  std::vector<std::uint64_t> places_;
  std::vector<Chunk> chunks_;
};

}  // namespace

std::string without_number(const std::string& name) {
  const size_t end = name.find_last_not_of("0123456789");
  return end != std::string::npos && name[end] == '.' ? name.substr(0, end) : name;
}

std::vector<Chunk> read_chunks(ElfFile& file) { return ChunkReader(file).read(); }

bool holds_word(const ElfFile& file, const Span& span) {
  const auto word = file.words.lower_bound(span.start);
  return word != file.words.end() && word->first < span.end;
}

std::uint64_t place_in_table(const ElfFile& file, std::uint64_t table, std::uint64_t entry) {
  return table + static_cast<std::uint64_t>(read_at<std::int32_t>(file.image, entry));
}

}  // namespace cliffbench
