#include "harness/impact/compare.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace cliffbench {
namespace {

/// The key of a function: its names, or its code where there is none.
std::string known_by(const Function& function) {
  std::string key;
  for (const std::string& name : function.names) key += without_number(name) + " ";
  if (!function.names.empty()) return key;
  for (const Instruction& one : function.instructions) key += one.bytes;
  return key;
}

/// Whether they can be compared instruction by instruction.
bool same_structure(const Function& base, const Function& head) {
  const auto same = [](const Instruction& a, const Instruction& b) {
    return a.bytes.size() == b.bytes.size() && !a.target == !b.target;
  };
  return base.is_whole && head.is_whole &&
         std::ranges::equal(base.instructions, head.instructions, same);
}

/// Sets the partners of what has the same key, in the same order on both sides; behind a difference
/// it goes on at the nearest two that are equal. What then is left may have moved.
template <typename T, typename Key>
void pair(std::vector<T>& base, std::vector<T>& head, const Key& key) {
  constexpr size_t kMost = 3000;  // items that differ in a row: more are another program
  const auto keys = [&](const std::vector<T>& items) {
    std::vector<std::string> found(items.size());
    std::ranges::transform(items, found.begin(), key);
    return found;
  };
  const std::vector<std::string> bases = keys(base), heads = keys(head);
  const auto next = [&](size_t& i, size_t& j) {
    for (size_t distance = 0; distance < kMost; ++distance) {
      for (size_t skipped = 0; skipped <= distance; ++skipped) {
        const size_t from = i + skipped, to = j + distance - skipped;
        if (from >= bases.size() || to >= heads.size() || bases[from] != heads[to]) continue;
        return i = from, j = to, true;
      }
    }
    return false;
  };
  const auto join = [&](size_t i, size_t j) { base[i].partner = j, head[j].partner = i; };
  for (size_t i = 0, j = 0; next(i, j); ++i, ++j) join(i, j);
  std::multimap<std::string_view, size_t> moved;
  for (size_t j = 0; j < heads.size(); ++j) {
    if (head[j].partner == kNone) moved.emplace(heads[j], j);
  }
  for (size_t i = 0; i < bases.size(); ++i) {
    const auto found = moved.find(bases[i]);
    if (base[i].partner != kNone || found == moved.end()) continue;
    join(i, found->second);
    moved.erase(found);
  }
}

/// Finds what does not fit the pairs.
class Comparer {
 public:
  Comparer(ElfFile& base, ElfFile& head)
      : base_(base), head_(head), base_data_(read_chunks(base)), head_data_(read_chunks(head)) {
    pair(base.functions, head.functions, known_by);
    pair(base_data_, head_data_, &Chunk::key);
  }

  BothChanges compare() {
    check_whole();
    for (size_t i = 0; i < base_.functions.size(); ++i) check_function(i);
    for (Function& function : head_.functions) {
      if (function.partner == kNone) add_function(found_.head, function, function.end);
    }
    for (const Chunk& chunk : base_data_) {
      if (chunk.partner != kNone)
        check_chunk(chunk, head_data_[chunk.partner]);
      else
        add_chunk(found_.base, base_, chunk);
    }
    for (const Chunk& chunk : head_data_) {
      if (chunk.partner == kNone) add_chunk(found_.head, head_, chunk);
    }
    return std::move(found_);
  }

 private:
  static const Chunk* chunk_at(const std::vector<Chunk>& chunks, std::uint64_t address) {
    const auto after = std::ranges::upper_bound(chunks, address, {}, &Chunk::start);
    const bool found = after != chunks.begin() && std::prev(after)->holds(address);
    return found ? &*std::prev(after) : nullptr;
  }

  [[nodiscard]] bool same_place(std::uint64_t base, std::uint64_t head) const {
    const Function *from = base_.function_at(base), *to = head_.function_at(head);
    if (from || to) {
      return from && to && from->partner != kNone && to == &head_.functions[from->partner] &&
             base - from->start == head - to->start &&
             !(from->lies_behind(base) && tables_differ(*from, *to));
    }
    const std::uint64_t word_b = base_.linked_word(base), word_h = head_.linked_word(head);
    if (word_b || word_h) return word_b && word_h && same_word(word_b, word_h);
    const Chunk *a = chunk_at(base_data_, base), *b = chunk_at(head_data_, head);
    const bool paired = a && b && a->partner != kNone && b == &head_data_[a->partner];
    return (paired && base - a->start == head - b->start) || ends(base, head);
  }

  /// Whether data lie behind the end of either function, and not the same, as far as both reach.
  [[nodiscard]] bool tables_differ(const Function& base, const Function& head) const {
    if (!base.has_table || !head.has_table) return base.has_table != head.has_table;
    const std::uint64_t size = std::min(base.end - base.known_end, head.end - head.known_end);
    return base_.image.substr(base.known_end, size) != head_.image.substr(head.known_end, size);
  }

  /// Behind the data of a section there is nothing of it, but its address is named.
  [[nodiscard]] bool ends(std::uint64_t base, std::uint64_t head) const {
    return std::ranges::any_of(base_.sections, [&](const Section& section) {
      const Section* other = head_.section(section.name);
      return section.is_data && section.end == base && other && other->end == head;
    });
  }

  [[nodiscard]] bool same_word(std::uint64_t base, std::uint64_t head) const {
    const auto from = base_.words.find(base), to = head_.words.find(head);
    if (from == base_.words.end() && to == head_.words.end())
      return base_.image.substr(base, kWord) == head_.image.substr(head, kWord);
    if (from == base_.words.end() || to == head_.words.end()) return false;
    const Relocation &b = from->second, &h = to->second;
    if (b.type != h.type || b.symbol != h.symbol) return false;
    return b.relative() ? same_place(b.addend, h.addend) : b.addend == h.addend;
  }

  void check_function(size_t number) {
    Function& base = base_.functions[number];
    if (base.partner == kNone) return add_function(found_.base, base, base.end);
    Function& head = head_.functions[base.partner];
    const bool differ = tables_differ(base, head);
    if (!same_structure(base, head) || differ) {
      const bool keeps_table = base.has_table && !differ;  // it is read: no breakpoints there
      add_function(found_.base, base, keeps_table ? base.known_end : base.end);
      add_function(found_.head, head, keeps_table ? head.known_end : head.end);
      return;
    }
    found_.base.entries.emplace_back(base.start, number);
    found_.head.entries.emplace_back(head.start, number);
    for (size_t i = 0; i < base.instructions.size(); ++i) {
      const Instruction &from = base.instructions[i], &to = head.instructions[i];
      if (same_instruction(from, to)) continue;
      found_.base.code.push_back({from.at, from.at + from.bytes.size()});
      found_.head.code.push_back({to.at, to.at + to.bytes.size()});
    }
  }

  static void add_function(Changes& changes, Function& function, std::uint64_t end) {
    function.differs = true;
    changes.code.push_back({function.start, end});
  }

  [[nodiscard]] bool same_instruction(const Instruction& base, const Instruction& head) const {
    if (base.bytes != head.bytes) return false;
    if (!base.target) return !head.target;
    const Section* home = base_.section_at(base.target);
    const bool takes_table = base.is_address && home && home->name.starts_with(".got");
    return !takes_table && same_place(base.target, head.target);
  }

  /// An entry of a switch's table is not watched where it leads into a function that differs: only
  /// that function uses it, and has breakpoints.
  static void add_entry(Changes& changes, const ElfFile& file, const Chunk& table,
                        std::uint64_t at) {
    const Function* to = file.function_at(place_in_table(file, table.start, at));
    const bool is_filler = read_at<std::int32_t>(file.image, at) == 0;
    if (!is_filler && !(to && to->differs)) changes.data.push_back({at, at + kEntry});
  }

  static void add_chunk(Changes& changes, const ElfFile& file, const Chunk& chunk) {
    if (!chunk.is_table) return changes.data.push_back(chunk);
    for (std::uint64_t at = chunk.start; at + kEntry <= chunk.end; at += kEntry)
      add_entry(changes, file, chunk, at);
  }

  /// Their keys are the same: addresses may differ, and zeros behind.
  void check_chunk(const Chunk& base, const Chunk& head) {
    for (auto word = base_.words.lower_bound(base.start);
         word != base_.words.end() && word->first < base.end; ++word) {
      const std::uint64_t at = word->first - base.start;
      if (same_word(base.start + at, head.start + at)) continue;
      found_.base.data.push_back({base.start + at, base.start + at + kWord});
      found_.head.data.push_back({head.start + at, head.start + at + kWord});
    }
    const std::uint64_t size = std::min(base.end - base.start, head.end - head.start);
    for (std::uint64_t at = 0; base.is_table && at + kEntry <= size; at += kEntry) {
      const auto entry = [at](const ElfFile& file, const Chunk& table) {
        return place_in_table(file, table.start, table.start + at);
      };
      if (same_place(entry(base_, base), entry(head_, head))) continue;
      add_entry(found_.base, base_, base, base.start + at);
      add_entry(found_.head, head_, head, head.start + at);
    }
    if (base.end - base.start >= size + kFiller)
      found_.base.data.push_back({base.start + size, base.end});
    if (head.end - head.start >= size + kFiller)
      found_.head.data.push_back({head.start + size, head.end});
  }

  /// Refuses changes that concern every process, whatever it executes.
  void check_whole() const {
    for (const char* name : {".preinit_array", ".tdata"}) {
      const Section *base = base_.section(name), *head = head_.section(name);
      if (!base && !head) continue;
      const bool same = base && head && base->bytes == head->bytes;
      if (!same || holds_word(base_, *base) || holds_word(head_, *head))
        throw NotComparable(std::string("every process reads other data (") + name + ")");
    }
    if (base_.exports != head_.exports || base_.versions != head_.versions)
      throw NotComparable("libraries find other names in it, or it in them");
  }

  ElfFile &base_, &head_;
  std::vector<Chunk> base_data_, head_data_;
  BothChanges found_;
};

}  // namespace

BothChanges compare_builds(ElfFile& base, ElfFile& head) { return Comparer(base, head).compare(); }

}  // namespace cliffbench
