#include "harness/impact/pairing.hpp"

#include <algorithm>
#include <utility>

#include "harness/impact/code.hpp"

namespace cliffbench {
namespace {

constexpr std::uint64_t kAll = ~std::uint64_t{0};

bool is_of_a_source(const std::string& name) { return name.find(':') != std::string::npos; }

}  // namespace

bool same_structure(const Function& base, const Function& head) {
  const auto same = [](const Instruction& a, const Instruction& b) {
    return a.bytes.size() == b.bytes.size() && !a.target == !b.target;
  };
  return base.is_whole && head.is_whole &&
         std::ranges::equal(base.instructions, head.instructions, same);
}

Pairing::Pairing(ElfFile& base, ElfFile& head) : files_{&base, &head} {
  find_places(false);
  find_places(true);
  pair_by_name(false);
  pair_objects(false);
  for (const char* name : {".preinit_array", ".init_array", ".fini_array", ".tdata"}) {
    const Section *from = base.section(name), *to = head.section(name);
    if (from && to) pair_words(from->start, from->end, to->start);
  }
  follow();
  pair_objects(true);
  follow();
  pair_equal_code();
  follow();
  pair_by_name(true);
  do follow();
  while (fill_gaps());
}

void Pairing::find_places(bool of_head) {
  ElfFile& file = *files_[of_head];
  if (file.section(".relr.dyn")) throw NotComparable("a file packs its relocations (.relr.dyn)");
  std::vector<std::uint64_t>& places = places_[of_head];
  for (Function& function : file.functions) {
    read_code(file, function);
    for (const Instruction& instruction : function.instructions)
      places.push_back(instruction.target);
  }
  for (const auto& [at, word] : file.words) {
    if (word.relative()) places.push_back(static_cast<std::uint64_t>(word.addend));
  }
  for (const auto& [name, span] : file.objects) {
    places.insert(places.end(), {span.start, span.end});
    Span& known = objects_[of_head].try_emplace(span.start, span).first->second;
    known.end = std::max(known.end, span.end);
  }
  for (const Section& section : file.sections) places.push_back(section.end);
  std::ranges::sort(places);
  other_[of_head].resize(file.image.size());
}

/// Those of any structure only when the others have found theirs.
void Pairing::pair_by_name(bool any_structure) {
  std::map<std::vector<std::string>, Function*> heads;
  for (Function& head : files_[1]->functions) heads[head.names] = &head;
  for (Function& base : files_[0]->functions) {
    const auto head = base.names.empty() ? heads.end() : heads.find(base.names);
    if (head != heads.end() && (any_structure || same_structure(base, *head->second)))
      pair(base, *head->second);
  }
}

void Pairing::pair_objects(bool of_a_source) {
  for (const auto& [name, base] : files_[0]->objects) {
    const auto head = files_[1]->objects.find(name);
    if (is_of_a_source(name) == of_a_source && head != files_[1]->objects.end())
      pair_data(base.start, head->second.start);
  }
}

/// What is left, in order: functions that have been renamed, or that nothing names.
void Pairing::pair_equal_code() {
  std::map<std::string, std::vector<Function*>> heads;
  for (Function& head : files_[1]->functions) {
    if (!head.partner) heads[head.skeleton].push_back(&head);
  }
  for (auto& [skeleton, equal] : heads) std::ranges::reverse(equal);
  for (Function& base : files_[0]->functions) {
    const auto equal = base.partner ? heads.end() : heads.find(base.skeleton);
    if (equal == heads.end() || equal->second.empty()) continue;
    pair(base, *equal->second.back());
    equal->second.pop_back();
  }
}

void Pairing::pair(Function& base, Function& head) {
  if (base.partner || head.partner) return;
  base.partner = &head;
  head.partner = &base;
  open_.push_back(&base);
}

/// Pairs what follows from the pairs so far.
void Pairing::follow() {
  do {
    for (const auto& [at, word] : files_[0]->words) {
      if (partner(false, at)) pair_words(at, at + kWord, partner(false, at));
    }
    for (const Function* base : std::exchange(open_, {})) {
      if (!same_structure(*base, *base->partner)) continue;
      for (size_t i = 0; i < base->instructions.size(); ++i) {
        const Instruction &from = base->instructions[i], &to = base->partner->instructions[i];
        if (from.bytes == to.bytes && from.target) pair_places(from.target, to.target);
      }
    }
  } while (!open_.empty());
}

void Pairing::pair_places(std::uint64_t base, std::uint64_t head) {
  const Function *from = files_[0]->function_at(base), *to = files_[1]->function_at(head);
  if (from && to) {
    if (from->names.empty() && to->names.empty() && from->start == base && to->start == head)
      pair(const_cast<Function&>(*from), const_cast<Function&>(*to));
  } else if (const std::uint64_t word = files_[0]->linked_word(base)) {
    pair_words(word, word + kWord, files_[1]->linked_word(head));
  } else {
    pair_data(base, head);
  }
}

void Pairing::pair_words(std::uint64_t base, std::uint64_t base_end, std::uint64_t head) {
  const auto& words = files_[0]->words;
  for (auto at = words.lower_bound(base); at != words.end() && at->first < base_end; ++at) {
    const auto other = files_[1]->words.find(head + (at->first - base));
    if (other == files_[1]->words.end() || at->second.symbol != other->second.symbol) continue;
    const auto from = files_[0]->own_target(at->second);
    const auto to = files_[1]->own_target(other->second);
    if (from && to) pair_places(*from, *to);
  }
}

const Span* Pairing::object_at(bool of_head, std::uint64_t address) const {
  const auto after = objects_[of_head].upper_bound(address);
  const bool found = after != objects_[of_head].begin() && std::prev(after)->second.holds(address);
  return found ? &std::prev(after)->second : nullptr;
}

std::uint64_t Pairing::next_place(bool of_head, std::uint64_t address) const {
  const auto next = std::ranges::upper_bound(places_[of_head], address);
  return next == places_[of_head].end() ? address : *next;
}

/// What begins at two addresses, or the objects that hold them.
void Pairing::pair_data(std::uint64_t base, std::uint64_t head) {
  const Span *from = object_at(false, base), *to = object_at(true, head);
  if (from && to && base - from->start == head - to->start) {
    pair_bytes(from->start, to->start, std::min(from->end - from->start, to->end - to->start));
  } else if (!from && !to) {
    const std::uint64_t size = pair_bytes(
        base, head, std::min(next_place(false, base) - base, next_place(true, head) - head));
    if (size > 0) tables_[base] = base + size;
  }
}

/// As far as both are free, and within their sections; how many.
std::uint64_t Pairing::pair_bytes(std::uint64_t base, std::uint64_t head, std::uint64_t most) {
  const Section *from = files_[0]->section_at(base), *to = files_[1]->section_at(head);
  if (!from || !to || !from->is_data || from->name != to->name) return 0;
  most = std::min({most, from->end - base, to->end - head});
  std::uint64_t size = 0;
  for (; size < most && !other_[0][base + size] && !other_[1][head + size]; ++size) {
    other_[0][base + size] = static_cast<std::uint32_t>(head + size);
    other_[1][head + size] = static_cast<std::uint32_t>(base + size);
  }
  return size;
}

/// Pairs what lies behind a pair as it stands. False: nothing.
bool Pairing::fill_gaps() {
  std::uint64_t filled = 0;
  for (const Section& section : files_[0]->sections) {
    const Section* other = files_[1]->section(section.name);
    if (!section.is_data || !other) continue;
    filled += pair_bytes(section.start, other->start, kAll);
    for (std::uint64_t at = section.start + 1; at < section.end; ++at) {
      const std::uint64_t before = partner(false, at - 1);
      if (before && !partner(false, at)) filled += pair_bytes(at, before + 1, kAll);
    }
  }
  return filled > 0;
}

}  // namespace cliffbench
