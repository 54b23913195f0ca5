#include "cases/conceptual_stmt/declaration.hpp"

#include <string>
#include <vector>

#include "cases/conceptual_stmt/pipeline.hpp"
#include "patches/halide/conceptual_stmt.hpp"

namespace {

using namespace cliffbench;

constexpr bool kFixed = HALIDE_MAJOR >= 20;  // by upstream
const std::string kM1 = "arm-64-osx";
const std::string kFull = "3072x2048";
const std::string kHalf = "1536x1024";

/// From runs on a 2-core x86-64 machine; for the estimate before a run only.
Cost expected_cost(const Params& params, const std::string& variant) {
  const Size size = parse_size(params.at("size"));
  const double n = std::stod(params.at("buffers"));
  const double megabytes = 4e-6 * size.width * size.height;  // of one buffer
  const double draw_s = variant.starts_with("image_param") ? 0 : 0.009 * n * megabytes;
  if (params.at("format") == "Text") return {0.05 + draw_s, 60 + 2 * n * megabytes, 1};
  const bool stubbed = variant == "all" || variant == "buffer_stub" || variant == "text_and_code" ||
                       variant == "one_func_all";
  const bool cut = stubbed || variant == "regex_filter" || variant == "marker_lines";
  const bool lean = variant == "all" || variant == "text_and_code" || variant.ends_with("lean") ||
                    variant == "lean_listing" || variant == "one_func_all";
  const bool data = !stubbed && variant != "jit" && !variant.starts_with("image_param");
  double wall_s = 0.1 + (lean ? 0.1 * n : 1.4 + 0.05 * n) + draw_s;
  if (data) wall_s += 0.09 * n * megabytes;
  const double searches = variant == "one_func" ? 1 : n;  // as the markers grow
  if (data && !cut && !kFixed) wall_s += (0.12 + 0.1 * searches) * n * megabytes;
  return {wall_s, 160 + (data ? 12 : 2) * n * megabytes, 5 + (data ? 3 * n * megabytes : 0)};
}

const Params kOne = {{"buffers", "1"}, {"size", kFull}, {"format", "HTML"}};
const Params kEight = {{"buffers", "8"}, {"size", kFull}, {"format", "HTML"}};

/// What the issue's author wrote, of Halide before the fix.
std::vector<Claim> claims_of_the_issue() {
  const std::string issue = "halide/Halide #8717";
  const Params many = {{"size", kFull}, {"format", "HTML"}};
  std::vector<Claim> all = {
      {.id = "superlinear",
       .text = "the viewer's time grows faster than linearly in buffers, at a small size too",
       .quantity = Quantity::exponent,
       .variant = "staged",
       .of = "viewer",
       .axis = "buffers",
       .where = {{"format", "HTML"}, {"size", "384x256"}},
       .range = {1},
       .source = issue + ": factors 1 to 3 of the culprit"},
      {.id = "regex_filter",
       .text = "regex_filter alone helps by 1.5x",
       .variant = "regex_filter",
       .where = kOne,
       .range = {1.5},
       .source = issue + ": cutting early helps, the figure is ours"},
      {.id = "culprit",
       .text = "the viewer's search takes at least 45 % of the staged baseline",
       .quantity = Quantity::share,
       .variant = "staged",
       .of = "viewer",
       .where = kOne,
       .range = {0.45, 1},
       .source = issue + ": the culprit"},
      {.id = "culprit_eight",
       .text = "with 8 buffers it takes at least 75 %",
       .quantity = Quantity::share,
       .variant = "staged",
       .of = "viewer",
       .where = kEight,
       .range = {0.75, 1},
       .source = issue + ": the culprit"},
      {.id = "bytes_times_markers",
       .text = "the viewer's time grows as bytes times markers: quadratic in buffers",
       .quantity = Quantity::exponent,
       .variant = "staged",
       .of = "viewer",
       .axis = "buffers",
       .where = many,
       .range = {1.7, 2.3},
       .source = issue + ": factors 1 to 3 of the culprit"},
      {.id = "filtered_search",
       .text = "regex_filter makes the viewer's time at most a little more than linear",
       .quantity = Quantity::exponent,
       .variant = "regex_filter",
       .of = "viewer",
       .axis = "buffers",
       .where = many,
       .range = {0, 1.3},
       .source = issue + ": the filter is applied too late"},
      {.id = "end_to_end",
       .text = "end to end, with the constants, the exponent in buffers is 1.4 to 1.7",
       .quantity = Quantity::exponent,
       .variant = "baseline",
       .axis = "buffers",
       .where = many,
       .range = {1.4, 1.7},
       .source = issue + ": several factors, the figure is ours"},
      {.id = "ten_minutes",
       .text = "easily over 10 minutes: with 16 buffers",
       .quantity = Quantity::time,
       .variant = "baseline",
       .where = {{"buffers", "16"}, {"size", kFull}, {"format", "HTML"}},
       .range = {600},
       .source = issue + ": \"easily over 10 minutes\""},
      {.id = "text_flat",
       .text = "HTML only: the time of Text does not depend on the buffers' size",
       .quantity = Quantity::exponent,
       .variant = "baseline",
       .axis = "size",
       .where = {{"buffers", "1"}, {"format", "Text"}},
       .range = {-0.2, 0.2},
       .source = issue + ": \"only for the conceptual statement\""},
      {.id = "jit_flat",
       .text = "conceptual stmt only: the time of the JIT hardly depends on the buffers' size",
       .quantity = Quantity::exponent,
       .variant = "jit",
       .axis = "size",
       .where = {{"buffers", "1"}, {"format", "HTML"}},
       .range = {-0.2, 0.2},
       .source = issue + ": \"only for the conceptual statement\""},
      {.id = "jit_tolerable",
       .text = "the JIT is slower with embedded buffers but tolerable: at most 3x of ImageParam's",
       .variant = "jit",
       .against = "image_param_jit",
       .where = kEight,
       .range = {1.0 / 3},
       .source = issue + ": \"slower as well but tolerable\", the figure is ours"}};
  for (Claim& claim : all) claim.origin = Origin::theirs;
  return all;
}

/// What we promise of our patches, on either side of upstream's fix.
std::vector<Claim> claims_of_ours() {
  const std::string before = "ours, after the first measurements here";
  const auto faster = [&](std::string id, std::string text, std::string variant, Params where,
                          double by) {
    return Claim{.id = std::move(id),
                 .text = std::move(text),
                 .variant = std::move(variant),
                 .where = std::move(where),
                 .range = {by},
                 .source = before};
  };
  std::vector<Claim> all;
  if (kFixed) {
    all.push_back(faster("cliff", "what upstream's fix left: all patches together are 8x faster",
                         "all", kOne, 8));
    all.push_back(faster("cliff_eight", "with 8 buffers 20x", "all", kEight, 20));
    all.push_back(
        faster("buffer_stub", "buffer_stub still helps by 1.3x", "buffer_stub", kOne, 1.3));
    all.push_back(
        faster("lean_listing", "lean_listing still helps by 1.2x", "lean_listing", kOne, 1.2));
  } else {
    all.push_back(
        faster("cliff", "the cliff: all patches together are 20x faster", "all", kOne, 20));
    all.push_back(faster("cliff_eight", "with 8 buffers 250x", "all", kEight, 250));
    all.push_back(faster("buffer_stub", "buffer_stub alone helps by 3x", "buffer_stub", kOne, 3));
    all.push_back(
        faster("marker_lines", "marker_lines alone helps by 1.5x", "marker_lines", kOne, 1.5));
    all.push_back({.id = "best_exponent",
                   .text = "with all patches the exponent in buffers is at most 0.9",
                   .quantity = Quantity::exponent,
                   .variant = "all",
                   .axis = "buffers",
                   .where = {{"size", kFull}, {"format", "HTML"}},
                   .range = {0, 0.9},
                   .source = before});
  }
  Claim beats = faster("beats_image_param",
                       "all patches beat ImageParam on unmodified Halide by 3x", "all", kOne, 3);
  beats.against = "image_param";
  all.push_back(beats);
  Claim page =
      faster("cost_of_the_page", "with all patches the page costs at most 3x its text and code",
             "all", kEight, 1.0 / 3);
  page.against = "text_and_code";
  all.push_back(page);
  Claim memory =
      faster("memory_eight", "with 8 buffers peak memory is at most a third", "all", kEight, 3);
  memory.quantity = Quantity::memory;
  all.push_back(memory);
  return all;
}

/// The other shape of pipeline, whose plain cost grows more slowly: one Func has few markers,
/// however many matrices it reads.
std::vector<Claim> claims_of_one_func() {
  const std::string source = "ours, so that nobody says we chose the steep shape";
  Params four = kEight;
  four["buffers"] = "4";
  return {{.id = "one_func_exponent",
           .text = "with all matrices in one Func the time grows at most a little more than "
                   "linearly in buffers",
           .quantity = Quantity::exponent,
           .variant = "one_func",
           .axis = "buffers",
           .where = {{"size", kFull}, {"format", "HTML"}},
           .range = {0, 1.2},
           .source = source},
          {.id = "one_func_four",
           .text = kFixed ? "with 4 matrices in one Func all patches together are 10x faster"
                          : "with 4 matrices in one Func all patches together are 30x faster",
           .variant = "one_func_all",
           .against = "one_func",
           .where = four,
           .range = {kFixed ? 10.0 : 30.0},
           .source = source}};
}

/// The listing that an Apple M1's user would have had searched, made on this machine.
std::vector<Claim> claims_of_m1_code() {
  const auto at = [](std::string size) {
    return Params{{"buffers", "1"}, {"size", std::move(size)}, {"format", "HTML"}, {"target", kM1}};
  };
  Claim small{.id = "m1_code",
              .text = kFixed ? "M1 code: all patches together are 3x faster, with one small buffer"
                             : "M1 code: all patches together are 4x faster, with one small buffer",
              .variant = "all",
              .where = at("768x512"),
              .range = {kFixed ? 3.0 : 4.0},
              .source = "ours, for the issue's machine: x86 host, M1 target"};
  Claim large = small;
  large.id = "m1_code_full";
  large.text = kFixed ? "M1 code: what upstream's fix left: 8x" : "M1 code: the cliff: 20x";
  large.where = at(kFull);
  large.range = {kFixed ? 8.0 : 20.0};
  return {small, large};
}

std::vector<Claim> controls() {
  const Bounds quiet = {0.9, 1.1};
  std::vector<Claim> all;
  for (const char* variant : {"control", "staged"}) {
    Params where = kOne;
    if (std::string(variant) == "control") where["size"] = kHalf;
    all.push_back({.id = std::string(variant) + "_same",
                   .text = std::string(variant) + " takes as long as the baseline",
                   .variant = variant,
                   .where = where,
                   .range = quiet,
                   .control = true,
                   .source = "control"});
  }
  for (const char* variant :
       {"regex_filter", "buffer_stub", "lean_listing", "marker_lines", "all"}) {
    all.push_back({.id = std::string(variant) + "_text",
                   .text = std::string(variant) + " changes nothing for Text",
                   .variant = variant,
                   .where = {{"format", "Text"}},
                   .range = quiet,
                   .control = true,
                   .source = "negative control"});
  }
  return all;
}

std::vector<Claim> claims() {
  std::vector<Claim> all = claims_of_ours();
  if (!kFixed) {
    for (Claim& claim : claims_of_the_issue()) all.push_back(std::move(claim));
  }
  for (Claim& claim : claims_of_one_func()) all.push_back(std::move(claim));
  for (Claim& claim : controls()) all.push_back(std::move(claim));
  for (Claim& claim : all) claim.where.emplace("target", "host");
  for (Claim& claim : claims_of_m1_code()) all.push_back(std::move(claim));
  return all;
}

Headline headline() {
  Headline asked{"halide/Halide #8717: what makes the page of an embedded matrix quick again?",
                 "Halide " HALIDE_VERSION ", one {size} matrix",
                 {{"buffers", "1"}, {"format", "HTML"}, {"target", "host"}},
                 {{"with all patches", "all"}}};
  if (!kFixed) {
    asked.answers.push_back({"ImageParam instead of a Buffer gives", "image_param"});
    asked.answers.push_back({"upgrading to 21 gives", "baseline", "halide-21.0.0"});
  }
  return asked;
}

const std::vector<std::string> kPatched = {"baseline",     "regex_filter", "buffer_stub",
                                           "lean_listing", "marker_lines", "all"};

std::vector<std::string> everything() {
  return {"baseline",        "control",          "staged",        "regex_filter",
          "buffer_stub",     "lean_listing",     "marker_lines",  "all",
          "image_param",     "image_param_lean", "text_and_code", "jit",
          "image_param_jit", "one_func",         "one_func_all"};
}

std::vector<Profile> profiles() {
  const std::vector<std::string> ends = {"staged", "all"};
  std::vector<std::string> pages = everything();
  std::erase_if(pages, [](const std::string& variant) { return variant.ends_with("jit"); });
  const std::vector<std::string> small = {"96x64", "192x128", "384x256", "768x512"};
  const std::vector<std::string> numbers = {"1", "2", "4", "8"};
  std::vector<Profile> all;
  if (kFixed) {
    all.push_back({"quick",
                   "what is left of the cliff at one 3072x2048 buffer",
                   {{{{"size", {kFull}}}, {"baseline", "all"}},
                    {{{"size", {kFull}}, {"format", {"Text"}}}, {"baseline", "all"}}}});
  } else {
    all.push_back({"quick",
                   "the cliff at one 3072x2048 buffer, controls, scaling at small sizes",
                   {{{{"size", {kFull}}},
                     {"baseline", "staged", "regex_filter", "buffer_stub", "lean_listing", "all",
                      "image_param", "image_param_lean", "jit"}},
                    {{{"size", {kFull}}, {"format", {"Text"}}}, kPatched},
                    {{{"size", {kHalf}}}, {"baseline", "control"}},
                    {{{"size", {kFull}}, {"buffers", {"2"}}}, {"all", "image_param_lean"}},
                    {{{"size", small}}, ends},
                    {{{"size", small}, {"format", {"Text"}}}, {"baseline"}},
                    {{{"size", {"384x256"}}, {"buffers", numbers}}, ends},
                    {{{"size", {"768x512"}}, {"target", {kM1}}}, {"baseline", "all"}}}});
  }
  all.push_back({"gate",
                 "both ends of the case, for cliffbench gate",
                 {{{{"size", {"96x64"}}, {"format", {"HTML"}}}, {"baseline", "all"}}}});
  all.push_back({"demo",
                 "the whole way at small size, in half a minute",
                 {{{{"size", {"192x128"}}}, {"baseline", "all"}},
                  {{{"size", {"192x128"}}, {"format", {"Text"}}}, {"baseline", "all"}}}});
  all.push_back(
      {"verify",
       "every variant once at the smallest size",
       {{{{"size", {"96x64"}}, {"format", {"HTML"}}}, everything(), 1},
        {{{"size", {"96x64"}}, {"buffers", {"2"}}, {"format", {"HTML"}}}, everything(), 1},
        {{{"size", {"96x64"}}, {"format", {"HTML"}}, {"target", {kM1}}}, pages, 1},
        {{{"size", {"96x64"}}, {"format", {"Text"}}}, kPatched, 1}}});
  // Of many buffers, minutes each, and after upstream's fix: what a claim or a figure needs.
  using Names = std::vector<std::string>;
  const Names many = kFixed ? Names{"baseline", "buffer_stub", "all", "text_and_code"}
                            : Names{"baseline",      "staged", "regex_filter",   "buffer_stub",
                                    "marker_lines",  "all",    "image_param",    "image_param_lean",
                                    "text_and_code", "jit",    "image_param_jit"};
  const Names most = kFixed ? Names{"baseline", "all"}
                            : Names{"baseline", "all", "image_param", "text_and_code", "jit"};
  const Names scaling =
      kFixed ? Names{"baseline", "staged", "all"}
             : Names{"baseline", "staged", "regex_filter", "buffer_stub", "marker_lines", "all"};
  const Names sizes = {"192x128", "384x256", "768x512", kHalf};
  all.push_back(
      {"full",
       "up to 8 buffers with the baseline (minutes each), and 16 stopped at 600 s",
       {{{{"size", {kFull}}}, everything()},
        {{{"size", {kFull}}, {"buffers", {"2", "4", "8"}}}, many},
        {{{"size", {kFull}}, {"buffers", {"2", "4", "8"}}}, {"one_func", "one_func_all"}},
        {{{"size", {kFull}}, {"buffers", {"16"}}}, most},
        {{{"size", {kFull}}, {"buffers", numbers}, {"format", {"Text"}}}, {"baseline", "all"}},
        {{{"size", {kFull}}, {"format", {"Text"}}}, kPatched},
        {{{"size", sizes}, {"format", {"Text"}}}, {"baseline"}},
        {{{"size", {kFull}}, {"target", {kM1}}}, kPatched},
        {{{"size", {"768x512"}}, {"target", {kM1}}}, {"baseline", "all"}},
        {{{"size", {kHalf}}}, {"control"}},
        {{{"size", sizes}}, {"jit"}},
        {{{"size", sizes}}, scaling},
        {{{"size", {"384x256"}}, {"buffers", numbers}}, scaling}}});
  return all;
}

}  // namespace

Case conceptual_stmt_case() {
  return {
      .name = "conceptual_stmt",
      .why =
          "A pipeline with large embedded buffers takes minutes to compile to conceptual stmt "
          "HTML, because the "
          "viewer searches the text of every buffer once per loop marker.",
      .readme = CASE_README,
      .subject = {"halide-" HALIDE_VERSION, HALIDE_VERSION, HALIDE_SHA256},
      .axes = {{"buffers", "embedded matrices", {"1", "2", "4", "8", "16"}},
               {"size",
                "float32 values each",
                {kFull, kHalf, "768x512", "384x256", "192x128", "96x64"}},
               {"format", "", {"HTML", "Text"}},
               {"target", kTargetWords, {"host", kM1}}},
      .variants =
          {{"baseline", Role::baseline, "Func::compile_to_conceptual_stmt, unmodified"},
           {"control", Role::control, "the same again"},
           {"staged", Role::control, "the stages that libHalide exports, composed unchanged"},
           {"regex_filter", Role::patch, "long lines are cut before the search", {"regex_filter"}},
           {"buffer_stub",
            Role::patch,
            "the listing is made without the buffers' bytes",
            {"buffer_stub"}},
           {"lean_listing",
            Role::patch,
            "the listing is made without the runtime",
            {"lean_listing"}},
           {"marker_lines",
            Role::patch,
            "the viewer gets only lines that can carry a marker",
            {"marker_lines"}},
           {"all",
            Role::patch,
            "the four patches together",
            {"regex_filter", "buffer_stub", "lean_listing", "marker_lines"}},
           {"image_param",
            Role::reference,
            "ImageParam instead of Buffer, unmodified Halide",
            {},
            "image_param"},
           {"image_param_lean",
            Role::reference,
            "ImageParam, with lean_listing",
            {"lean_listing"},
            "image_param"},
           {"text_and_code",
            Role::reference,
            "the statement as text and the pipeline's own assembly: what the page is made of",
            {"buffer_stub", "lean_listing"},
            ""},
           {"one_func",
            Role::reference,
            "all matrices in one Func instead of a chain, unmodified Halide",
            {},
            "one_func"},
           {"one_func_all",
            Role::reference,
            "all matrices in one Func, with the four patches together",
            {"regex_filter", "buffer_stub", "lean_listing", "marker_lines"},
            "one_func"},
           {"jit", Role::reference, "compiled for the JIT instead", {}, ""},
           {"image_param_jit",
            Role::reference,
            "ImageParam, compiled for the JIT instead",
            {},
            ""}},
      .stages_from = "staged",
      .patches = {patches::halide::kRegexFilter, patches::halide::kBufferStub,
                  patches::halide::kLeanListing, patches::halide::kMarkerLines},
      .claims = claims(),
      .headline = headline(),
      .profiles = profiles(),
      .limit_s = 600,
      .cost = expected_cost,
      .once = [](const Params&, const std::string& variant) {
        return variant.ends_with("jit");  // the pipeline keeps the code
      }};
}
