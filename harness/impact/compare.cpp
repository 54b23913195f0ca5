#include "harness/impact/compare.hpp"

#include <algorithm>

#include "harness/impact/pairing.hpp"

namespace cliffbench {
namespace {

/// In order, without overlaps.
void put_in_order(std::vector<Span>& spans) {
  std::ranges::sort(spans, {}, &Span::start);
  std::vector<Span> merged;
  for (const Span& span : spans) {
    if (merged.empty() || merged.back().end < span.start)
      merged.push_back(span);
    else
      merged.back().end = std::max(merged.back().end, span.end);
  }
  spans = std::move(merged);
}

/// Finds what does not fit the pairs.
class Comparer {
 public:
  Comparer(ElfFile& base, ElfFile& head)
      : base_(base), head_(head), pairs_(base, head), checked_(base.image.size() + kWord) {}

  Comparison compare() {
    for (const Function& function : base_.functions) check_function(function);
    for (const Function& function : head_.functions) {
      if (!function.partner) found_.head.code.push_back(function);
    }
    found_.everything = whole_difference();
    check_words();
    check_tables();
    check_bytes();
    add_unpaired(false, found_.base.data);
    add_unpaired(true, found_.head.data);
    check_exports();
    return std::move(found_);
  }

 private:
  bool same_place(std::uint64_t base, std::uint64_t head) {
    const Function *from = base_.function_at(base), *to = head_.function_at(head);
    if (from || to) {
      return from && to && from->partner == to && base - from->start == head - to->start;
    }
    const std::uint64_t word_b = base_.linked_word(base), word_h = head_.linked_word(head);
    if (word_b || word_h) return word_b && word_h && same_word(word_b, word_h);
    const bool is_data = base_.is_data(base);
    if (is_data ? pairs_.partner(false, base) == head : !head_.is_data(head) && ends(base, head))
      return true;
    // Two want the same partner: unless they are objects, nothing is known of what lies there.
    if (is_data && !pairs_.object_at(false, base))
      found_.base.data.push_back({base, pairs_.next_place(false, base)});
    if (head_.is_data(head) && !pairs_.object_at(true, head))
      found_.head.data.push_back({head, pairs_.next_place(true, head)});
    return false;
  }

  /// Behind the data of a section there is nothing, but its address is named.
  [[nodiscard]] bool ends(std::uint64_t base, std::uint64_t head) const {
    return std::ranges::any_of(base_.sections, [&](const Section& section) {
      const Section* other = head_.section(section.name);
      return section.is_data && section.end == base && other && other->end == head;
    });
  }

  bool same_word(std::uint64_t base, std::uint64_t head) {
    const auto from = base_.words.find(base), to = head_.words.find(head);
    if (from == base_.words.end() && to == head_.words.end())
      return base_.image.substr(base, kWord) == head_.image.substr(head, kWord);
    if (from == base_.words.end() || to == head_.words.end()) return false;
    const Relocation &b = from->second, &h = to->second;
    const bool same = b.type == h.type && b.symbol == h.symbol;
    if (!same || (!b.relative() && b.addend != h.addend)) return false;
    const auto own_b = base_.own_target(b), own_h = head_.own_target(h);
    return own_b.has_value() == own_h.has_value() && (!own_b || same_place(*own_b, *own_h));
  }

  void check_function(const Function& base) {
    if (!base.partner || !same_structure(base, *base.partner)) {
      found_.base.code.push_back(base);
      if (base.partner) found_.head.code.push_back(*base.partner);
      return;
    }
    const auto number = static_cast<size_t>(&base - base_.functions.data());
    found_.base.entries.emplace_back(base.start, number);
    found_.head.entries.emplace_back(base.partner->start, number);
    for (size_t i = 0; i < base.instructions.size(); ++i) {
      const Instruction &from = base.instructions[i], &to = base.partner->instructions[i];
      if (from.bytes == to.bytes && (!from.target || same_place(from.target, to.target))) continue;
      found_.base.code.push_back({from.at, from.at + from.bytes.size()});
      found_.head.code.push_back({to.at, to.at + to.bytes.size()});
    }
  }

  void check(std::uint64_t base, std::uint64_t size, bool same) {
    std::fill_n(checked_.begin() + static_cast<std::ptrdiff_t>(base), size, true);
    if (same) return;
    const std::uint64_t head = pairs_.partner(false, base);
    found_.base.data.push_back({base, base + size});
    found_.head.data.push_back({head, head + size});
  }

  void check_words() {
    for (const auto& [at, word] : base_.words) {
      if (const auto head = pairs_.partner(false, at)) check(at, kWord, same_word(at, head));
    }
    for (const auto& [at, word] : head_.words) {
      const std::uint64_t base = pairs_.partner(true, at);
      if (base && !base_.words.contains(base)) check(base, kWord, false);
    }
  }

  /// A table of a switch holds distances from its own begin to places in the code.
  void check_tables() {
    for (const auto& [start, end] : pairs_.tables()) {
      for (std::uint64_t at = (start + 3) / 4 * 4; at + 4 <= end; at += 4) {
        const auto to = [at](const ElfFile& file, std::uint64_t table, std::uint64_t entry) {
          return table + static_cast<std::uint64_t>(read_at<std::int32_t>(file.image, entry));
        };
        const std::uint64_t base = to(base_, start, at);
        if (checked_[at] || !base_.function_at(base)) continue;
        const std::uint64_t table = pairs_.partner(false, start), entry = pairs_.partner(false, at);
        check(at, 4, same_place(base, to(head_, table, entry)));
      }
    }
  }

  void check_bytes() {
    for (const Section& section : base_.sections) {
      for (std::uint64_t at = section.start; section.is_data && at < section.end; ++at) {
        const std::uint64_t head = pairs_.partner(false, at);
        if (head && !checked_[at] && base_.image[at] != head_.image[head]) check(at, 1, false);
      }
    }
  }

  void add_unpaired(bool of_head, std::vector<Span>& data) {
    constexpr std::uint64_t kFiller = 64;  // fewer zeros than that only align what follows
    const ElfFile& file = of_head ? head_ : base_;
    for (const Section& section : file.sections) {
      for (std::uint64_t at = section.start; section.is_data && at < section.end;) {
        const std::uint64_t start = at;
        bool zeros = true;
        for (; at < section.end && !pairs_.partner(of_head, at); ++at)
          zeros = zeros && file.image[at] == '\0';
        if (at - start >= kFiller || !zeros) data.push_back({start, at});
        while (at < section.end && pairs_.partner(of_head, at)) ++at;
      }
    }
    put_in_order(data);
  }

  /// What concerns every process, whatever it executes.
  std::string whole_difference() {
    for (const char* name : {".interp", ".preinit_array", ".init_array", ".fini_array", ".tdata"}) {
      const Section *base = base_.section(name), *head = head_.section(name);
      bool same = !base == !head && (!base || base->bytes.size() == head->bytes.size());
      for (std::uint64_t at = 0; same && base && at < base->bytes.size();) {
        const bool is_word =
            base_.words.contains(base->start + at) || head_.words.contains(head->start + at);
        same = is_word ? same_word(base->start + at, head->start + at)
                       : base->bytes[at] == head->bytes[at];
        at += is_word ? kWord : 1;
      }
      if (!same) return std::string("what starts or ends every process (") + name + ")";
    }
    return "";
  }

  void check_exports() {
    for (const auto& [name, base] : base_.exports) {
      const auto head = head_.exports.find(name);
      if (head == head_.exports.end()) found_.bindings.insert(name);
      if (head == head_.exports.end() || !base_.is_data(base)) continue;
      const Span* object = pairs_.object_at(false, base);
      const auto overlaps = [&, start = base](const Span& span) {
        return span.start < (object ? object->end : start + 1) && start < span.end;
      };
      if (!same_place(base, head->second) || std::ranges::any_of(found_.base.data, overlaps))
        found_.exports.insert(name);
    }
    for (const auto& [name, head] : head_.exports) {
      if (!base_.exports.contains(name)) found_.bindings.insert(name);
    }
  }

  ElfFile &base_, &head_;
  Pairing pairs_;
  Comparison found_;
  std::vector<bool> checked_;  ///< bytes of the base's data
};

}  // namespace

Comparison compare_files(ElfFile& base, ElfFile& head) { return Comparer(base, head).compare(); }

}  // namespace cliffbench
