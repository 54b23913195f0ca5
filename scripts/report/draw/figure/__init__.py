"""One file a figure. Each exports FIGURE, and WHOLE where "show all" opens a fuller one; the page, the files and the tests find
them here."""

import importlib
import pkgutil

MODULES = [
    importlib.import_module(f"{__name__}.{module.name}")
    for module in pkgutil.iter_modules(__path__)
]
ALL = sorted(
    (one for module in MODULES for one in (module.FIGURE, getattr(module, "WHOLE", None)) if one),
    key=lambda one: one.place,
)
