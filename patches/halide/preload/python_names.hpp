#pragma once

#include <dlfcn.h>

#include <string>

namespace patches::halide {

/// The functions of Python's that are needed, found in the process: nothing is linked with it.
struct PythonApi {
  int (*gil)() = nullptr;
  void* (*new_dict)() = nullptr;
  void* (*run)(const char* code, int start, void* globals, void* locals) = nullptr;
  void* (*item)(void* dict, const char* key) = nullptr;
  int (*set_item)(void* dict, const char* key, void* value) = nullptr;
  void* (*text)(const char* bytes) = nullptr;
  const char* (*bytes)(void* text) = nullptr;
  void (*clear_error)() = nullptr;
  void (*release)(void* object) = nullptr;

  static PythonApi find() {
    PythonApi api;
    bool all = true;
    const auto get = [&](auto& function, const char* name) {
      function =
          reinterpret_cast<std::remove_reference_t<decltype(function)>>(dlsym(RTLD_DEFAULT, name));
      all = all && function;
    };
    get(api.gil, "PyGILState_Check");
    get(api.new_dict, "PyDict_New");
    get(api.run, "PyRun_String");
    get(api.item, "PyDict_GetItemString");
    get(api.set_item, "PyDict_SetItemString");
    get(api.text, "PyUnicode_FromString");
    get(api.bytes, "PyUnicode_AsUTF8");
    get(api.clear_error, "PyErr_Clear");
    get(api.release, "Py_DecRef");
    return all ? api : PythonApi{};
  }
};

/// Looks for a halide.Buffer of a name in the variables of the callers, innermost first, and in
/// what lists, dictionaries and objects among them hold.
inline constexpr const char* kFindVariable = R"python(
import sys
def look(wanted):
    def is_it(value):
        return type(value).__module__.startswith("halide") and type(value).__name__ == "Buffer" and value.name() == wanted
    frame = sys._getframe(1)
    while frame:
        for variables in (frame.f_locals, frame.f_globals):
            for name, value in list(variables.items()):
                if is_it(value): return name
                if isinstance(value, (list, tuple)):
                    inside = [(f"{name}[{i}]", one) for i, one in enumerate(value[:1000])]
                elif isinstance(value, dict):
                    inside = [(f"{name}[{key!r}]", one) for key, one in list(value.items())[:1000]]
                else:
                    inside = [(f"{name}.{key}", one) for key, one in list(getattr(value, "__dict__", {}).items())[:1000]] \
                        if not isinstance(value, (type, type(sys))) else []
                for path, one in inside:
                    if is_it(one): return path
        frame = frame.f_back
    return ""
try: found = look(wanted)
except Exception: found = ""
)python";

/// Whether the process is a Python that is at work in this thread.
inline bool in_python() {
  static const PythonApi python = PythonApi::find();
  return python.gil && python.gil() == 1;
}

/// The Python variable that holds the Buffer of this name; "" when there is none.
inline std::string python_variable(const std::string& buffer) {
  static const PythonApi python = PythonApi::find();
  if (!in_python()) return "";
  constexpr int kFileInput = 257;  // Py_file_input
  void* names = python.new_dict();
  void* wanted = python.text(buffer.c_str());
  std::string variable;
  if (names && wanted && python.set_item(names, "wanted", wanted) == 0) {
    if (void* none = python.run(kFindVariable, kFileInput, names, names)) {
      python.release(none);
      void* found = python.item(names, "found");
      const char* bytes = found ? python.bytes(found) : nullptr;
      if (bytes) variable = bytes;
    }
  }
  python.clear_error();
  if (wanted) python.release(wanted);
  if (names) python.release(names);
  return variable;
}

}  // namespace patches::halide
