"""Modules that are imported when first used: parts of scipy take longer to import than a question to answer."""

from __future__ import annotations

from importlib import import_module
from typing import Any


class Later:
    """Stands for a module until something of it is wanted.

    >>> Later("math").sqrt(4)
    2.0
    """

    def __init__(self, name: str) -> None:
        self._name = name

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        found = getattr(import_module(self._name), attribute)
        setattr(self, attribute, found)
        return found
