#include "cases/call_kernel/inspect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <CLI/CLI.hpp>
#include <cstdio>
#include <new>
#include <nlohmann/json.hpp>

#include "cases/call_kernel/field/bn254.hpp"
#include "cases/call_kernel/field/m31.hpp"
#include "cases/call_kernel/kernels/emit.hpp"
#include "cases/call_kernel/kernels/kernels.hpp"

namespace zk {
namespace {

template <typename Scalar>
std::string answer(const std::string& name, const std::vector<std::uint64_t>& dims, bool lines) {
  if (!lines) return description<Scalar>(name, dims) + "\n";
  return fmt::format("# {} [{}] {}\n{}", name, fmt::join(dims, ", "), Scalar::kName,
                     kernel_listing<Scalar>(name, dims));
}

std::string all_names() {
  std::string names = "Kernels and their dims:\n";
  for (const auto& [name, dims] : kernel_names()) names += fmt::format("  {} {}\n", name, dims);
  return names;
}

}  // namespace

template <typename Scalar>
std::string description(const std::string& name, const std::vector<std::uint64_t>& dims) {
  const Sizes sizes = kernel_sizes<Scalar>(name, dims);
  const nlohmann::ordered_json json = {
      {"kernel", name},
      {"dims", dims},
      {"field", Scalar::kName},
      {"inputs", sizes.inputs},
      {"instructions", sizes.instructions},
      {"lincombs", sizes.lincombs},
      {"terms", sizes.terms},
      {"muls", sizes.muls},
      {"mul_inputs", sizes.mul_inputs},
      {"constraints", sizes.constraints},
      {"calling_instructions", sizes.calling_instructions},
      {"hash_bytes", sizes.hash_bytes},
      {"hash_writes", sizes.hash_writes},
      {"digest", fmt::format("{:016x}", sizes.digest)},
  };
  return json.dump();
}

template std::string description<M31>(const std::string&, const std::vector<std::uint64_t>&);
template std::string description<Bn254>(const std::string&, const std::vector<std::uint64_t>&);

int inspect(const std::vector<std::string>& arguments) {
  std::string name, field = "m31";
  std::vector<std::uint64_t> dims;
  bool lines = false;
  CLI::App app("Print facts of a kernel as one JSON object", "call_kernel --inspect");
  app.add_option("kernel", name, "Its name")->required();
  app.add_option("--dims", dims, "Its dimensions, as 64,256,256,256")->delimiter(',');
  app.add_option("--field", field, "m31 or bn254")->check(CLI::IsMember({"m31", "bn254"}));
  app.add_flag("--listing", lines, "Print the instructions instead");
  app.footer(all_names() + "Exit: 0 printed, 2 usage, 13 out of memory");
  try {
    std::vector<std::string> reversed(arguments.rbegin(), arguments.rend());
    app.parse(std::move(reversed));
    const std::string text =
        field == "m31" ? answer<M31>(name, dims, lines) : answer<Bn254>(name, dims, lines);
    std::fputs(text.c_str(), stdout);
    return 0;
  } catch (const CLI::ParseError& error) {
    return app.exit(error) == 0 ? 0 : 2;
  } catch (const KernelError& error) {
    std::fprintf(stderr, "call_kernel --inspect: %s\n", error.what());
    return 2;
  } catch (const std::bad_alloc&) {
    std::fprintf(stderr, "call_kernel --inspect: not enough memory for this kernel\n");
    return 13;
  }
}

}  // namespace zk
