"""Markup: a text is never anything but text, whatever is in it; attributes neither run nor lead elsewhere."""

from __future__ import annotations

import doctest
import re
from html.parser import HTMLParser
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import ParameterError
from discreet.server.console import asking_pages, layout, markup, meters, scales
from discreet.server.console.markup import join, tag

CONSOLE = Path(markup.__file__).parent


class Seen(HTMLParser):
    """What a browser would make of a page: its elements, their attributes and its text."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text = ""
        self.feed(page)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))

    def handle_data(self, data: str) -> None:
        self.text += data


HOSTILE = st.text(st.sampled_from("<>\"'&;/=\\ \n\0\x1b\u202eaxé`-!") | st.characters(), max_size=60)


@given(HOSTILE, HOSTILE)
def test_texts_are_texts_in_elements_and_in_attributes(inside: str, beside: str) -> None:
    page = str(tag("div", inside, tag("p", inside, title=beside), join(inside)))
    seen = Seen(page)
    assert [name for name, _ in seen.tags] == ["div", "p"]
    shown = re.sub(r"\r\n?", "\n", "".join(_shown(letter) for letter in inside))
    assert re.sub(r"\r\n?", "\n", seen.text) == shown * 3
    assert set(seen.tags[1][1]) == {"title"}


def _shown(letter: str) -> str:
    return f"\\u{ord(letter):04x}" if markup._HIDDEN.fullmatch(letter) else letter


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("href", "javascript:alert(1)"),
        ("href", "//evil.org/x"),
        ("href", "https://evil.org"),
        ("href", " /x"),
        ("href", "/\\evil.org"),
        ("src", "data:text/html,x"),
        ("action", ""),
        ("hx_post", "https://evil.org"),
        ("style", "color: red"),
        ("onclick", "alert(1)"),
        ("hx_on__click", "alert(1)"),
        ("hx_vals", "js:{x: 1}"),
        ("a b", "x"),
    ],
)
def test_attributes_neither_run_nor_lead_elsewhere(name: str, value: str) -> None:
    with pytest.raises(ParameterError):
        tag("a", "x", **{name: value})


def test_names_of_elements_are_names_and_scripts_have_no_text() -> None:
    for name in ("a b", "", "a>b", "Script"):
        with pytest.raises(ParameterError):
            tag(name)
    with pytest.raises(ParameterError):
        tag("script", "alert(1)")
    assert str(tag("script", src="/static/x.js", defer=True)) == '<script src="/static/x.js" defer></script>'


def test_no_other_file_of_the_console_writes_markup() -> None:
    pattern = re.compile(r"""["'][^"'\n]*</?[a-z]+[ >/]""")
    wrong = [
        f"{path.name}: {line.strip()}"
        for path in CONSOLE.glob("*.py")
        if path.name != "markup.py"
        for line in path.read_text().splitlines()
        if pattern.search(line) and "<!DOCTYPE html>" not in line
    ]
    assert wrong == []


@pytest.mark.parametrize("module", [asking_pages, layout, markup, meters, scales])
def test_the_examples_in_the_docstrings_are_true(module: object) -> None:
    assert doctest.testmod(module, optionflags=doctest.ELLIPSIS).failed == 0  # type: ignore[arg-type]
