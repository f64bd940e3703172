"""Markup: elements as values. A text inside one is always escaped, so that no page can forget it.

There is no way to put a string into a page as markup. Nor do attributes run or lead anywhere else: styles and handlers
are refused, and addresses must begin with one slash, or name a place in the page.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from html import escape

from discreet.base.errors import ParameterError

VOID = frozenset({"br", "hr", "input", "link", "meta"})
RAW = frozenset({"script", "style"})
ADDRESSES = frozenset({"href", "src", "action", "formaction", "hx-get", "hx-post"})
_NAME = re.compile(r"[a-z][a-zA-Z0-9-]*")
_ADDRESS = re.compile(r"(/(?!/)|#)[^\s\\]*")
_HIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069\ud800-\udfff]")
"""Letters that change what stands beside them, or that no page may hold."""


@dataclass(frozen=True, slots=True)
class Element:
    """One element, or several beside one another where it has no name."""

    name: str
    attributes: tuple[tuple[str, str | None], ...]
    children: tuple[Child, ...]

    def __str__(self) -> str:
        return "".join(_write(self))


Child = Element | str | int | None


def tag(name: str, /, *children: Child | Iterable[Child], **attributes: str | int | float | bool | None) -> Element:
    """Return an element. `class_` and `for_` are the attributes of these names, `hx_post` is hx-post; None is left out.

    >>> str(tag("p", "1 < 2", tag("br"), class_="soft"))
    '<p class="soft">1 &lt; 2<br></p>'
    >>> str(tag("a", "x", href="javascript:alert(1)"))
    Traceback (most recent call last):
    ...
    discreet.base.errors.ParameterError: href must be an address on this server; got 'javascript:alert(1)'
    """
    if not _NAME.fullmatch(name):
        raise ParameterError("name", name, "an element's name")
    if name in RAW and children:
        raise ParameterError("name", name, "an element whose text is nothing but text")
    return Element(name, tuple(_read(*pair) for pair in attributes.items() if _is_there(pair[1])), _flatten(children))


def join(*children: Child | Iterable[Child]) -> Element:
    """Return several elements and texts beside one another."""
    return Element("", (), _flatten(children))


def _is_there(value: object) -> bool:
    return value is not None and value is not False


def _read(name: str, value: str | int | float | bool | None) -> tuple[str, str | None]:
    plain = name.removesuffix("_").replace("_", "-")
    if not _NAME.fullmatch(plain) or plain == "style" or plain.startswith(("on", "hx-on", "hx-vals")):
        raise ParameterError("attribute", name, "one that neither styles nor runs anything")
    if value is True:
        return plain, None
    text = f"{value:.6g}" if isinstance(value, float) else str(value)
    if plain in ADDRESSES and not _ADDRESS.fullmatch(text):
        raise ParameterError(plain, text, "an address on this server")
    return plain, text


def _flatten(children: Iterable[Child | Iterable[Child]]) -> tuple[Child, ...]:
    found: list[Child] = []
    for child in children:
        if child is None or isinstance(child, Element | str | int):
            found.append(child)
        else:
            found += child
    return tuple(found)


def _write(element: Element) -> Iterator[str]:
    if element.name:
        yield f"<{element.name}"
        yield from (f" {name}" if value is None else f' {name}="{_safe(value)}"' for name, value in element.attributes)
        yield ">"
    for child in element.children:
        if isinstance(child, Element):
            yield from _write(child)
        elif child is not None:
            yield _safe(str(child))
    if element.name and element.name not in VOID:
        yield f"</{element.name}>"


def _safe(text: str) -> str:
    """Return a text that is nothing but text: escaped, and without letters that act on others."""
    return escape(_HIDDEN.sub(lambda found: f"\\u{ord(found[0]):04x}", text), quote=True)
