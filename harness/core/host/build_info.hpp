#pragma once
// What this build is made of. The values change with each commit and each first edit, so they are
// compiled alone.
namespace cliffbench {
extern const char* const kCompiler;  // name and version
extern const char* const kFlags;     // those that the cases are compiled with
extern const char* const kVersion;
extern const char* const kCommit;
extern const bool kDirty;  // the sources differ from the commit
}  // namespace cliffbench
