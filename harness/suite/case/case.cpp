#include "harness/suite/case/case.hpp"

#include <charconv>

namespace cliffbench {

std::string trial_name(const Case& declared, const Params& params, std::string_view variant) {
  std::string name = declared.name;
  for (const Axis& axis : declared.axes) name += '/' + axis.name + ':' + params.at(axis.name);
  return name.append("/variant:").append(variant);
}

std::optional<double> magnitude(const std::string& value) {
  double product = 1;
  const char* at = value.data();
  const char* const end = at + value.size();
  for (;;) {
    long number = 0;
    const auto [rest, error] = std::from_chars(at, end, number);
    if (error != std::errc() || number <= 0) return std::nullopt;
    product *= static_cast<double>(number);
    if (rest == end) return product;
    if (*rest != 'x') return std::nullopt;
    at = rest + 1;
  }
}

std::optional<double> size_of(const Axis& axis, const std::string& value) {
  const auto named = axis.sizes.find(value);
  return named == axis.sizes.end() ? magnitude(value) : named->second;
}

double size_of_point(const Case& declared, const Params& params) {
  double product = 1;
  for (const Axis& axis : declared.axes) {
    const auto value = params.find(axis.name);
    if (value != params.end()) product *= size_of(axis, value->second).value_or(1);
  }
  return product;
}

}  // namespace cliffbench
