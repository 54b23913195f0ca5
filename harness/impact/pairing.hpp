#pragma once

/// Which function of the base is which of the head's, and which byte of its data. Functions: of one
/// name; nameless ones that the same instruction of a pair names; of what is left, of equal code.
/// Data: objects of one name; what the same instruction or word of a pair names, up to the next
/// place that anything names; what lies between. Nothing has two partners: a wrong pair takes the
/// place of the right one, so that more differs, never less.

#include <array>
#include <cstdint>
#include <map>
#include <vector>

#include "harness/impact/elf_file.hpp"

namespace cliffbench {

class Pairing {
 public:
  /// Sets the partners of functions.
  Pairing(ElfFile& base, ElfFile& head);

  /// The partner of a byte of data of the base, or of the head; 0: none.
  [[nodiscard]] std::uint64_t partner(bool of_head, std::uint64_t at) const {
    return at < other_[of_head].size() ? other_[of_head][at] : 0;
  }
  /// Data without a name where an instruction names their begin: begin and end in the base.
  [[nodiscard]] const std::map<std::uint64_t, std::uint64_t>& tables() const { return tables_; }
  [[nodiscard]] const Span* object_at(bool of_head, std::uint64_t address) const;
  [[nodiscard]] std::uint64_t next_place(bool of_head, std::uint64_t address) const;

 private:
  void find_places(bool of_head);
  void pair_by_name(bool any_structure);
  void pair_objects(bool of_a_source);
  void pair_equal_code();
  void pair(Function& base, Function& head);
  void pair_places(std::uint64_t base, std::uint64_t head);
  void pair_words(std::uint64_t base, std::uint64_t base_end, std::uint64_t head);
  void pair_data(std::uint64_t base, std::uint64_t head);
  std::uint64_t pair_bytes(std::uint64_t base, std::uint64_t head, std::uint64_t most);
  void follow();
  bool fill_gaps();

  std::array<ElfFile*, 2> files_;
  std::vector<const Function*> open_;  ///< whose places are to be paired
  std::array<std::vector<std::uint64_t>, 2> places_;
  std::array<std::map<std::uint64_t, Span>, 2> objects_;  ///< by their begin
  std::array<std::vector<std::uint32_t>, 2> other_;       ///< partners of data, by address
  std::map<std::uint64_t, std::uint64_t> tables_;
};

/// Whether they have instructions of the same lengths.
[[nodiscard]] bool same_structure(const Function& base, const Function& head);

}  // namespace cliffbench
