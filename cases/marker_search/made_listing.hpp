#pragma once

#include <cstdint>
#include <cstring>
#include <random>
#include <string>
#include <vector>

/// Bytes as LLVM writes them in a string directive.
inline std::string ascii_directive(const std::string& bytes) {
  std::string text = "\t.ascii\t\"";
  for (const char c : bytes) {
    const auto byte = static_cast<uint8_t>(c);
    if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if (byte >= 0x20 && byte < 0x7f) {
      text += c;
    } else if (const char* known = std::strchr("\bb\ff\nn\rr\tt", c); known && c != 0) {
      text += {'\\', known[1]};
    } else {
      text += {'\\', static_cast<char>('0' + (byte >> 6)), static_cast<char>('0' + (byte >> 3 & 7)),
               static_cast<char>('0' + (byte & 7))};
    }
  }
  return text + "\"";
}

struct MadeListing {
  std::string text;
  std::vector<std::string> markers;
  std::vector<int> lines;  ///< where each marker stands, from 1
};

/// A listing of one directive with `values` normal float32 numbers and `markers` loops of eight
/// instructions. The data come first, so no marker has matched when their line is searched; in a
/// module with several functions some markers never have.
inline MadeListing made_listing(size_t values, int markers) {
  std::mt19937 random(1);
  std::normal_distribution<float> normal(0, 0.02f);
  std::string bytes(values * sizeof(float), '\0');
  for (size_t i = 0; i < values; ++i) {
    const float value = normal(random);
    std::memcpy(&bytes[i * sizeof value], &value, sizeof value);
  }
  MadeListing made;
  made.text = "\t.text\nweights_1.data:\n" + ascii_directive(bytes) + "\n";
  int number = 3;
  for (int i = 1; i <= markers; ++i) {
    const std::string loop = std::to_string(i);
    made.markers.push_back("%\"" + loop + "_for_stage_" + loop + ".s1.x.x\"");
    made.text +=
        ".LBB" + loop + "_1:                                # " + made.markers.back() + "\n";
    made.lines.push_back(++number);
    for (int j = 0; j < 8; ++j, ++number) {
      made.text += "\tvfmadd231ps\t" + std::to_string(32 * j) + "(%rcx), %ymm1, %ymm0\n";
    }
  }
  return made;
}
