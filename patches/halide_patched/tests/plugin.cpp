// A library that is linked with a Halide, for a host that opens several of them: what it makes must
// be the same with the patches, whatever other Halide is in the process.
#include <Halide.h>

#include <cstdio>
#include <map>
#include <sstream>
#include <stdexcept>
#include <string>

namespace {

using namespace Halide;

Var x("x"), y("y");

Func pipeline(const std::string& name, bool small_floats = false) {
  Buffer<float> weights(1024, 300, "weights");
  weights.fill(2.5f);
  Func f("f"), g(name);
  if (small_floats)
    f(x, y) = cast<float>(cast<float16_t>(weights(x, y)) + cast<float16_t>(weights(x, y) * 2));
  else
    f(x, y) = weights(x, y) + 1.f;
  g(x, y) = f(x, y) + f(x + 1, y);
  f.compute_root();
  return g;
}

std::map<OutputFileType, std::string> outputs_of(const std::string& names, const std::string& stem,
                                                 const Target& target) {
  std::map<OutputFileType, std::string> outputs;
  std::istringstream list(names);
  for (std::string name; std::getline(list, name, ',');) {
    for (const auto& [type, info] : Internal::get_output_info(target)) {
      if (info.name == name) outputs[type] = stem + info.extension;
    }
  }
  return outputs;
}

struct OfReporter : std::runtime_error {
  using std::runtime_error::runtime_error;
};

/// A program's own error reporter, which throws.
struct Reporter : CompileTimeErrorReporter {
  void warning(const char* words) override { std::printf("warning %s\n", words); }
  void error(const char* words) override {
    std::printf("error %s\n", words);
    std::fflush(stdout);
    throw OfReporter(words);
  }
};

template <typename Function>
void tried(const Function& function) {
  try {
    function();
  } catch (const std::exception& error) {
    std::printf("caught %s\n", error.what());
  }
}

}  // namespace

/// `what`: "reporter", or a target and outputs, as in "x86-64-linux object,stmt_html".
extern "C" int make(const char* stem, const char* what) {
  std::istringstream words(what);
  std::string name, outputs;
  words >> name >> outputs;
  if (name == "reporter") {
    static Reporter reporter;
    set_custom_compile_time_error_reporter(&reporter);
    for (const char* refused :
         {"x86-64-linux-d3d12compute", "riscv-64-linux", "x86-64-linux-no_runtime"}) {
      const Target target(refused);
      for (const bool small_floats : {false, true}) {
        tried([&] {
          pipeline("page", small_floats)
              .compile_to_conceptual_stmt(std::string(stem) + ".html", {}, HTML, target);
        });
        tried([&] {
          pipeline("both", small_floats)
              .compile_to(outputs_of("object,stmt_html", std::string(stem) + refused, target), {},
                          "fn", target);
        });
      }
    }
  } else {
    const Target target(name);
    tried([&] { pipeline("one").compile_to(outputs_of(outputs, stem, target), {}, "fn", target); });
  }
  std::printf("%s: Halide %d, the next name is %s\n", stem, HALIDE_VERSION_MAJOR,
              Func().name().c_str());
  std::fflush(stdout);
  return 0;
}
