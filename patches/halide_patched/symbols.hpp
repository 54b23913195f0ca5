#pragma once

/// The names that the compiler gives to the functions of libHalide's that ours stand before.

// Halide::Module::compile(const std::map<OutputFileType, std::string>&) const.
#define MODULE_COMPILE                                                    \
  "_ZNK6Halide6Module7compileERKSt3mapINS_14OutputFileTypeE"              \
  "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEESt4lessIS2_ESaISt" \
  "4pairIKS2_S8_EEE"
#define STRING_NAME "NSt7__cxx1112basic_stringIcSt11char_traitsIcESaIcEEE"
// Halide::Internal::print_to_..._html(const std::string&, const Module&, const std::string&).
#define PRINT_STMT "_ZN6Halide8Internal18print_to_stmt_htmlERK" STRING_NAME "RKNS_6ModuleES8_"
#define PRINT_CONCEPTUAL \
  "_ZN6Halide8Internal29print_to_conceptual_stmt_htmlERK" STRING_NAME "RKNS_6ModuleES8_"
#define UNIQUE_NAME "_ZN6Halide8Internal11unique_nameERK" STRING_NAME
#define UNIQUE_NAME_OF_CHAR "_ZN6Halide8Internal11unique_nameB5cxx11Ec"
