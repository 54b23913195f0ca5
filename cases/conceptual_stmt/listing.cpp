#include "cases/conceptual_stmt/listing.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <map>
#include <stdexcept>

#define XXH_INLINE_ALL
#include <xxhash.h>

namespace {

constexpr std::string_view kJump = "scrollToHostAsm(";
constexpr std::string_view kStatementPane = "<div id='ir-code-pane'";
constexpr std::string_view kAssemblyPane = "<div id='host-assembly-pane'";

std::string unescaped(std::string_view html) {
  constexpr std::array<std::pair<std::string_view, char>, 6> kNames = {{{"&quot;", '"'},
                                                                        {"&#39;", '\''},
                                                                        {"&#x2F;", '/'},
                                                                        {"&lt;", '<'},
                                                                        {"&gt;", '>'},
                                                                        {"&amp;", '&'}}};
  std::string text;
  for (size_t i = 0; i < html.size();) {
    bool named = false;
    for (const auto& [name, character] : kNames) {
      if (html[i] != '&' || !html.substr(i).starts_with(name)) continue;
      text += character;
      i += name.size();
      named = true;
      break;
    }
    if (!named) text += html[i++];
  }
  return text;
}

/// Moves the line numbers of all jumps out of the statement pane.
void take_jumps(std::string_view pane, ViewerPage& page) {
  for (;;) {
    const size_t jump = pane.find(kJump);
    if (jump == std::string_view::npos) break;
    const size_t number = jump + kJump.size();
    int line = 0;
    const auto parsed = std::from_chars(pane.data() + number, pane.data() + pane.size(), line);
    page.statements.append(pane.substr(0, number)).append("#");
    page.jumps.push_back(line);
    pane.remove_prefix(static_cast<size_t>(parsed.ptr - pane.data()));
  }
  page.statements.append(pane);
}

bool is_digit(char c) { return c >= '0' && c <= '9'; }

bool is_of_name(char c) {
  return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.' || c == '$';
}

/// Whether a name is one of the assembler's own: ".L..." in ELF; in Mach-O, where every name of C
/// starts with '_', "LBB0_1", "Lloh3", "lCPI5_0", "l_str.12". ("ldr" and "Loop" are not.)
bool is_local(std::string_view name) {
  constexpr std::array<std::string_view, 5> kCounted = {"LBB", "LJTI", "Lloh", "Ltmp", "lCPI"};
  return name.starts_with(".L") || name.starts_with("l_") ||
         std::any_of(kCounted.begin(), kCounted.end(), [&](std::string_view start) {
           return name.starts_with(start) && name.size() > start.size() &&
                  is_digit(name[start.size()]);
         });
}

/// ".LBB12_3" -> ".LBB_3", "lCPI12_3" -> "lCPI_3", in comments "BB12_3" -> "BB_3": the first
/// number counts functions, with the runtime's.
/// ".L.str.12", ".Lstr..." and "l_str.12" become the text that they name.
std::string renamed(std::string_view line, const std::map<std::string, std::string>& constants) {
  std::string text;
  for (size_t i = 0; i < line.size();) {
    if (line.substr(i).starts_with(" BB") || line.substr(i).starts_with("=BB")) {
      text += line.substr(i, 3);
      for (i += 3; i < line.size() && is_digit(line[i]);) ++i;
      continue;
    }
    size_t end = i;
    while (end < line.size() && is_of_name(line[end])) ++end;
    if (end == i) {
      text += line[i++];
      continue;
    }
    const std::string label(line.substr(i, end - i));
    i = end;
    if (!is_local(label)) {
      text += label;
    } else if (const auto constant = constants.find(label); constant != constants.end()) {
      text += "{" + constant->second + "}";
    } else {
      size_t digit = label.find_first_of("0123456789");
      text += label.substr(0, digit);
      while (digit < label.size() && is_digit(label[digit])) ++digit;
      if (digit < label.size()) text += label.substr(digit);
    }
  }
  return text;
}

/// The line with each run of blanks as one, so that the column of a comment does not matter.
std::string squeezed(std::string_view line) {
  std::string text;
  for (const char c : line) {
    const bool blank = c == ' ' || c == '\t';
    if (!blank)
      text += c;
    else if (!text.empty() && text.back() != ' ')
      text += ' ';
  }
  if (!text.empty() && text.back() == ' ') text.pop_back();
  return text;
}

/// Whether a squeezed line is a directive. ".LBB0_1:" is a label.
bool is_directive(std::string_view line) {
  return line.starts_with(".") && !line.starts_with(".L");
}

/// "name:" at the start of a line, without the colon; "" for anything else.
std::string_view label_of(std::string_view line) {
  constexpr std::string_view kNoLabel = " \t#;/";  // or a comment: of x86, of Mach-O, of ARM
  if (line.empty() || kNoLabel.find(line[0]) != std::string_view::npos) return {};
  const size_t colon = line.find(':');
  return colon == std::string_view::npos ? std::string_view{} : line.substr(0, colon);
}

/// The text of each local string constant, by label.
std::map<std::string, std::string> string_constants(const std::vector<std::string>& lines) {
  std::map<std::string, std::string> constants;
  for (size_t i = 0; i + 1 < lines.size(); ++i) {
    const std::string_view label = label_of(lines[i]);
    if (!is_local(label) || label.find("str") == std::string_view::npos) continue;
    const std::string text = squeezed(lines[i + 1]);
    const size_t quote = text.find('"');
    if (text.starts_with(".asci") && quote != std::string::npos) {
      constants[std::string(label)] = text.substr(quote, text.rfind('"') + 1 - quote);
    }
  }
  return constants;
}

bool is_of(std::string_view symbol, std::string_view pipeline) {
  if (symbol.starts_with("\"")) symbol = symbol.substr(1, symbol.size() - 2);
  if (symbol.starts_with("_")) symbol.remove_prefix(1);  // Mach-O
  return symbol.starts_with(pipeline) &&
         (symbol.size() == pipeline.size() || symbol[pipeline.size()] == '_' ||
          symbol[pipeline.size()] == '.');
}

/// "output$1", the second of a name, has the symbol "output_1".
std::string symbol_of(std::string_view name) {
  std::string symbol(name);
  std::replace(symbol.begin(), symbol.end(), '$', '_');
  return symbol;
}

}  // namespace

ViewerPage read_page(std::string_view html) {
  const size_t statements = html.find(kStatementPane);
  const size_t assembly = html.find(kAssemblyPane);
  if (statements == std::string_view::npos)
    throw std::runtime_error("the page has no statement pane");
  if (assembly == std::string_view::npos) throw std::runtime_error("the page has no assembly pane");
  ViewerPage page;
  take_jumps(html.substr(statements, assembly - statements), page);
  size_t start = html.find("<pre>", assembly);
  const size_t end = html.find("</pre>", assembly);
  if (start == std::string_view::npos || end == std::string_view::npos) {
    throw std::runtime_error("the page has no assembly in its pane");
  }
  start += 5;
  if (start < end && html[start] == '\n') ++start;
  while (start < end) {
    const size_t line = std::min(html.find('\n', start), end);
    page.assembly.push_back(unescaped(html.substr(start, line - start)));
    start = line + 1;
  }
  return page;
}

std::string canonical(const ViewerPage& page, std::string_view name) {
  const auto constants = string_constants(page.assembly);
  std::string text = page.statements;
  for (const int jump : page.jumps) {
    text += "\njump ";
    if (jump < 1 || static_cast<size_t>(jump) > page.assembly.size()) {
      text += "nowhere";
    } else {
      text += squeezed(renamed(page.assembly[static_cast<size_t>(jump) - 1], constants));
    }
  }
  for (const std::string& line : own_code(page, name)) text += "\n" + line;
  return uncounted(text, name);
}

std::vector<std::string> own_code(const ViewerPage& page, std::string_view name) {
  const std::string pipeline = symbol_of(name);
  const auto constants = string_constants(page.assembly);
  std::vector<std::string> code;
  bool own = false;
  for (const std::string& raw : page.assembly) {
    const std::string line = squeezed(renamed(raw, constants));
    if (const std::string_view label = label_of(raw); !label.empty() && !is_local(label)) {
      own = is_of(label, pipeline);
    }
    if (line.starts_with(".Lfunc_end") || line.find(".section") != std::string::npos ||
        line.ends_with("-- End function")) {
      own = false;
    }
    if (own && !is_directive(line)) code.push_back(line);
  }
  return code;
}

std::string uncounted(std::string_view text, std::string_view pipeline) {
  const std::string symbol = symbol_of(pipeline);
  const std::string closure = symbol + "_par_for_";
  const std::string_view name = pipeline.substr(0, pipeline.find('$'));
  std::map<std::string_view, size_t> words;  // each with its place among those that are numbered
  std::string result;
  const auto end_of = [&](size_t i, auto belongs) {
    while (i < text.size() && belongs(text[i])) ++i;
    return i;
  };
  const auto is_word = [](char c) { return is_of_name(c) && c != '.'; };
  for (size_t i = 0; i < text.size();) {
    const std::string_view rest = text.substr(i);
    const bool begins = i == 0 || !is_word(text[i - 1]);
    const bool temporary = begins && rest[0] == 't' && end_of(i + 1, is_digit) > i + 1 &&
                           end_of(i + 1, is_digit) == end_of(i, is_word);
    if (temporary || rest.starts_with(closure)) {
      const std::string_view word = text.substr(i, end_of(i, is_word) - i);
      const size_t place = words.try_emplace(word, words.size()).first->second;
      result.append(temporary ? "t" : "closure").append(std::to_string(place));
      i += word.size();
    } else if (rest.starts_with(symbol) &&
               end_of(i + symbol.size(), is_digit) == i + symbol.size()) {
      result += name;
      i += symbol.size();
    } else if (rest[0] == '$' && end_of(i + 1, is_digit) > i + 1) {  // or, escaped, "\$1\."
      if (result.ends_with('\\')) result.pop_back();
      i = end_of(i + 1, is_digit);
      if (i < text.size() && text[i] == '\\') ++i;
    } else if (rest.starts_with("__")) {  // a local label has lost its number before: one '_' stays
      if (end_of(i + 2, is_digit) == i + 2) result += '_';
      i = end_of(i + 2, is_digit);
    } else {
      result += text[i++];
    }
  }
  return result;
}

std::string digest_of(std::string_view text) {
  const XXH128_hash_t hash = XXH3_128bits(text.data(), text.size());
  constexpr std::string_view kDigits = "0123456789abcdef";
  std::string digits;
  for (const XXH64_hash_t half : {hash.high64, hash.low64}) {
    for (int shift = 60; shift >= 0; shift -= 4) digits += kDigits[(half >> shift) & 15];
  }
  return digits;
}

std::string fault_of(const ViewerPage& page, int stages) {
  if (page.jumps.size() < static_cast<size_t>(stages)) {
    return std::to_string(page.jumps.size()) + " jumps for " + std::to_string(stages) + " stages";
  }
  for (const int jump : page.jumps) {
    const bool inside = jump >= 1 && static_cast<size_t>(jump) <= page.assembly.size();
    if (!inside || page.assembly[static_cast<size_t>(jump) - 1].find("%\"") == std::string::npos) {
      return "a jump leads to line " + std::to_string(jump) + ", which carries no marker";
    }
  }
  for (int stage = 1; stage <= stages; ++stage) {
    const std::string name = "stage_" + std::to_string(stage);
    const auto has = [&](const std::string& loop) {
      return page.statements.find(loop) != std::string::npos;
    };
    if (!has(name + ".s1.") && !has(name + "$")) {  // "$": the second of that name in one process
      return "the loops of stage " + std::to_string(stage) + " are missing";
    }
  }
  return "";
}
