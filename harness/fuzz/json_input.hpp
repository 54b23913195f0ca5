// What the fuzz targets of our JSON files share.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <stdexcept>

/// What `reader` makes of the JSON in `data`; nothing where it refuses it.
template <typename Reader>
[[nodiscard]] auto read_input(const std::uint8_t* data, std::size_t size, Reader reader)
    -> std::optional<decltype(reader(nlohmann::json()))> {
  const auto* text = reinterpret_cast<const char*>(data);  // libc++ knows no text of other bytes
  try {
    return reader(nlohmann::json::parse(text, text + size, nullptr, false));
  } catch (const nlohmann::json::exception&) {
    return std::nullopt;
  } catch (const std::runtime_error&) {
    return std::nullopt;
  }
}
