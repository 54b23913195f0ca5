"""Python's methods that make pages, replaced by functions that call the patches through ctypes. Whatever a function does
not know, and each call without a page, goes to the method that it replaces."""

import ctypes
import functools

ON, OURS = "_halide_patched_on", "_halide_patched_functions"  # among the extension's names
WORD = ctypes.sizeof(ctypes.c_void_p)


def is_on(extension):
    return vars(extension).get(ON, False)


def replace(extension, library, through, say=None):
    """`library()` is the path of the patches, or None; it may take its time. `through`: the address of our Module::compile,
    when the calls of libHalide's own reach us; then only the method whose address Python has copied is replaced. `say`: for the
    patches, where no preloaded library gives them one."""
    restore(extension)
    patches = Patches(extension, library, through, say)
    put(extension, "Module", "compile", patches.of_module)
    if not through:
        for of in ("Func", "Pipeline"):
            put(extension, of, "compile_to", patches.of_outputs)
            put(extension, of, "compile_to_lowered_stmt", functools.partial(patches.of_page, int(extension.OutputFileType.stmt_html)))
            put(extension, of, "compile_to_conceptual_stmt", functools.partial(patches.of_page, -1))
    setattr(extension, ON, True)


def restore(extension):
    """A function of the program's around ours stays, and ours passes on what it is given."""
    for (of, name), function in vars(extension).get(OURS, {}).items():
        function.body = None
        if vars(getattr(extension, of))[name] is function:
            setattr(getattr(extension, of), name, function.original)
    setattr(extension, ON, False)


def put(extension, of, name, body):
    """Only in the place of Halide's own method: what the program has put there is its own."""
    of, ours = getattr(extension, of), vars(extension).setdefault(OURS, {})
    current = vars(of)[name]
    if (of.__name__, name) not in ours:
        if not is_halides(current):
            return
        ours[of.__name__, name] = made(of, name, current)
    function = ours[of.__name__, name]
    function.body = body
    if current is function.original:
        setattr(of, name, function)


def is_halides(method):
    return type(method).__name__ == "instancemethod"


def made(of, name, original):
    def function(self, *words, **named):
        body = function.body
        done = body(original, self, words, named) if body else NotImplemented
        return original(self, *words, **named) if done is NotImplemented else done

    function.__name__, function.__qualname__ = name, f"{of.__qualname__}.{name}"
    function.__doc__, function.__module__ = original.__doc__, of.__module__
    function.original = original
    return function


def left_out(extension):
    ours = vars(extension).get(OURS, {})
    return "" if ("Module", "compile") in ours else "Module.compile was replaced before the patches came; its pages stay unpatched"


def given(words, named, *names):
    """The arguments by name; None when they cannot be these."""
    if len(words) > len(names) or any(name not in names[len(words):] for name in named):
        return None
    return dict(zip(names, words), **named)


def is_path(path):
    """Whether C can be given it as it is."""
    return type(path) is str and "\0" not in path and not any("\ud800" <= letter <= "\udfff" for letter in path)


class Patches:
    def __init__(self, extension, library, through, say):
        self.extension, self.through = extension, through
        self.say = say and ctypes.CFUNCTYPE(None, ctypes.c_char_p)(lambda words: say(words.decode()))
        self.find, self.function = library, None
        self.lower = {of: vars(of)["compile_to_module"] for of in (extension.Func, extension.Pipeline)}

    def compile_files(self):
        """The patches' function; None when there are none for this Halide."""
        path = self.find and self.find()
        if path:
            library = ctypes.PyDLL(path)
            if self.say:
                library.halide_patched_say_by(self.say)
            self.function = library.halide_patched_compile_files
        self.find = None
        return self.function

    def pages(self, outputs):
        """Whether the outputs are some that we know, with a page among them."""
        types = self.extension.OutputFileType
        if type(outputs) is not dict or not all(type(of) is types and is_path(path) for of, path in outputs.items()):
            return False
        return any(of.name in ("stmt_html", "conceptual_stmt_html") for of in outputs)

    def of_module(self, original, module, words, named):
        known = given(words, named, "outputs")
        if not known or not self.pages(known["outputs"]):
            return NotImplemented
        return self.compiled(module, {int(of): path for of, path in known["outputs"].items()})

    def of_outputs(self, original, function, words, named):
        known = given(words, named, "outputs", "arguments", "fn_name", "target")
        if not known or "arguments" not in known or "fn_name" not in known or not self.pages(known.get("outputs")):
            return NotImplemented
        outputs = {int(of): path for of, path in known.pop("outputs").items()}
        return self.lowered(function, outputs, known)

    def of_page(self, page, original, function, words, named):
        known = given(words, named, "filename", "arguments", "fmt", "target")
        if not known or "arguments" not in known or not is_path(known.get("filename")):
            return NotImplemented
        html = known.pop("fmt", None)
        if type(html) is not self.extension.StmtOutputFormat or html != self.extension.StmtOutputFormat.HTML:
            return NotImplemented
        return self.lowered(function, {page: known.pop("filename")}, dict(known, fn_name=""))

    def lowered(self, function, outputs, known):
        if not self.compile_files():
            return NotImplemented
        of = self.extension.Pipeline if issubclass(type(function), self.extension.Pipeline) else self.extension.Func
        try:
            module = self.lower[of](function, **known)  # as C++ does, whatever a class of the user's has under this name
        except TypeError as error:
            # Wrong arguments; the method replaced has its own words for it. (Or a handler of a signal, in a frame of its own.)
            if error.__traceback__.tb_next:
                raise
            return NotImplemented
        return self.compiled(module, outputs)

    def compiled(self, module, outputs):
        compile_files, address = self.compile_files(), self.address(module)
        if not compile_files or not address:
            return NotImplemented
        count, error = len(outputs), ctypes.create_string_buffer(1 << 16)
        ended = compile_files(ctypes.c_void_p(address), (ctypes.c_int * count)(*outputs),
                              (ctypes.c_char_p * count)(*(path.encode() for path in outputs.values())), count,
                              ctypes.c_void_p(self.through), error, ctypes.c_size_t(len(error)))
        if ended > 0:
            raise (self.extension.HalideError if ended == 1 else RuntimeError)(error.value.decode(errors="replace"))
        return NotImplemented if ended else None

    def address(self, module):
        """The address of the C++ object in a Module. pybind11 puts it into the instance's first word and, as a std::unique_ptr,
        into the second: only where both are the same is it taken for one."""
        of = type(module)
        if of is not self.extension.Module or of.__basicsize__ != 7 * WORD:
            return None
        first, second = (ctypes.c_size_t * 2).from_address(id(module) + object.__basicsize__)
        return first if first == second and first % WORD == 0 else None
