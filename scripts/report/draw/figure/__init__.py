"""One file a figure. Each exports FIGURE; the page, the files and the tests find them here."""

import importlib
import pkgutil

MODULES = [
    importlib.import_module(f"{__name__}.{module.name}")
    for module in pkgutil.iter_modules(__path__)
]
ALL = sorted((module.FIGURE for module in MODULES), key=lambda one: one.place)
