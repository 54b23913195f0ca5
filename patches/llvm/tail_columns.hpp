#pragma once

#include <llvm/Support/FormattedStream.h>
#include <llvm/Support/raw_ostream.h>

#include <string>
#include <string_view>

#include "harness/suite/case/patch.hpp"

namespace patches::llvm {

inline const cliffbench::Patch kTailColumns{
    .name = "tail_columns",
    .before =
        "The stream of the assembly printer looks at each character that passes to know the "
        "display column, with the width of each UTF-8 sequence; an embedded buffer is one line "
        "of tens of megabytes.",
    .after =
        "Only what follows the last line end is counted, and no line of more than a thousand "
        "characters.",
    .cost =
        "None: the listing is the same, byte for byte. (A comment behind a line of a thousand "
        "characters would stand elsewhere; there is none.)",
    .source = "ours; it answers the open question of halide/Halide #8717 why LLVM is slow there.",
    .left_out = "The text of the data directive is still made character by character."};

/// The stream through which the assembly printer writes to `out`, which must be unbuffered and
/// outlive it. All has reached `out` when this is destroyed.
class TailColumns : public ::llvm::formatted_raw_ostream {
 public:
  explicit TailColumns(::llvm::raw_ostream& out) : formatted_raw_ostream(out), out_(out) {
    SetBufferSize(kBuffer);
  }
  ~TailColumns() override {
    closing_ = true;
    flush();
  }

 private:
  static constexpr size_t kBuffer = 65536;
  static constexpr size_t kLongest = 1000;  ///< longest line whose columns are counted

  /// Called with the full buffer, which is empty afterwards. The text after the last line end goes
  /// back into it, where the base class counts it when it is asked for the column.
  void write_impl(const char* text, size_t size) override {
    const size_t end = std::string_view(text, size).rfind('\n');
    const bool kept = !closing_ && end != std::string_view::npos && size - end <= kLongest;
    out_.write(text, kept ? end : size);
    (void)getColumn();  // the buffer is empty now
    if (kept) write(std::string(text + end, size - end).data(), size - end);
  }

  ::llvm::raw_ostream& out_;
  bool closing_ = false;
};

}  // namespace patches::llvm
