"""Values that people look at: in a console, a notebook or a log they are what `str` makes of them."""

from __future__ import annotations

from html import escape
from typing import Any


class ShownAsText:
    """Shows a value as its `str`, wherever somebody looks at it; a class may draw more in HTML."""

    __slots__ = ()

    def __repr__(self) -> str:
        return str(self)

    def _repr_pretty_(self, printer: Any, cycle: bool) -> None:
        printer.text(str(self))

    def _repr_html_(self) -> str:
        return f"<pre>{escape(str(self))}</pre>"
