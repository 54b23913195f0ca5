"""One file a figure. Each exports FIGURE; the page, the files and the tests find them here."""

import importlib
import pkgutil

ALL = sorted((importlib.import_module(f"{__name__}.{module.name}").FIGURE for module in pkgutil.iter_modules(__path__)),
             key=lambda one: one.place)
