// For maintainers: a performance test that needs nothing but Halide, in the style of Halide's own.
// An embedded buffer must not make the viewer slower than a parameter of the same size by more
// than kAllowed. Fails on 19.0.0 and 21.0.0; passes where the listing is made without the data, as
// under halide-patched.
#include <Halide.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

using namespace Halide;

namespace {

constexpr int kWidth = 3072;
constexpr int kHeight = 2048;
constexpr double kAllowed = 3;

/// Seconds to compile sum over r of input(r, y) * weights(x, r) to the viewer's page.
double seconds_to_page(bool embedded) {
  const ImageParam input(Float(32), 2), parameter(Float(32), 2);
  std::vector<Argument> arguments = {input};
  Var x, y;
  RDom r(0, kHeight);
  Func product;
  product(x, y) = 0.0f;
  if (embedded) {
    Buffer<float> weights(kWidth, kHeight);
    weights.for_each_element([&](int i, int j) {
      weights(i, j) = static_cast<float>((i * 7919 + j * 104729) % 65521) / 65521.0f - 0.5f;
    });
    product(x, y) += input(r, y) * weights(x, r);
  } else {
    arguments.push_back(parameter);
    product(x, y) += input(r, y) * parameter(x, r);
  }
  product.update().vectorize(x, 8).parallel(y);
  const std::string page = (std::filesystem::temp_directory_path() /
                            ("embedded_buffer_viewer." + std::to_string(embedded) + ".html"))
                               .string();
  const auto start = std::chrono::steady_clock::now();
  product.compile_to_conceptual_stmt(page, arguments, HTML, get_jit_target_from_environment());
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  std::filesystem::remove(page);
  return taken.count();
}

}  // namespace

int main() {
  double with_parameter = 1e30, with_buffer = 1e30;
  for (int i = 0; i < 3; ++i) {
    with_parameter = std::min(with_parameter, seconds_to_page(false));
    with_buffer = std::min(with_buffer, seconds_to_page(true));
  }
  std::printf("ImageParam: %.2f s, embedded Buffer: %.2f s\n", with_parameter, with_buffer);
  if (with_buffer > kAllowed * with_parameter) {
    std::printf("An embedded Buffer makes the viewer more than %.0fx slower.\n", kAllowed);
    return 1;
  }
  std::printf("Success!\n");
  return 0;
}
