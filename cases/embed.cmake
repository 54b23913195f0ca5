# Writes a case.toml as a header. The compiler takes it as it is: no data file holds )case_toml".
file(READ "${DATA}" text)
file(WRITE "${HEADER}" "#pragma once\n#include \"harness/suite/kit/case_data.hpp\"\n\nnamespace cliffbench {\n\n"
  "/// The case of this program: its data, and what the build knows of its subject.\n"
  "inline CaseContext this_case(std::vector<Patch> patches) {\n"
  "  return {R\"case_toml(${text})case_toml\", \"${NAME}\",\n"
  "          {CASE_SUBJECT, CASE_VERSION, CASE_SHA256}, CASE_README, std::move(patches)};\n}\n\n}  // namespace cliffbench\n")
