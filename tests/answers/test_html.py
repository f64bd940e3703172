"""In a notebook every text is text: nothing that a key or a name says becomes markup."""

from __future__ import annotations

from html.parser import HTMLParser

from hypothesis import example, given
from hypothesis import strategies as st

from support.answers import HEAD, answered, cities, key, noisy

ALLOWED = {"div", "pre", "table", "thead", "tbody", "tr", "th", "td", "svg", "path", "circle", "p", "code"}


class Page(HTMLParser):
    """What a browser sees: the elements, their attributes, and the text."""

    def __init__(self, html: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.names: set[str] = set()
        self.words: list[str] = []
        self.feed(html)
        self.close()

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.names |= {name for name, _ in attrs}

    def handle_data(self, data: str) -> None:
        self.words.append(data)


def page(text: str) -> Page:
    answer = answered(key("k" + text), noisy("n" + text), rows=[(text, 5)], notes=(text,), question=text)
    return Page(answer._repr_html_())


@given(st.text(st.characters(exclude_categories=["Cs", "Cc"])))
@example("<script>alert(1)</script>")
@example('" onload="x')
@example("&lt;b&gt;")
@example("</td><img src=x onerror=y>")
def test_text_is_never_markup(text: str) -> None:
    found = page(text)
    assert found.tags == page("plain").tags if text else set(found.tags) <= ALLOWED
    assert set(found.tags) <= ALLOWED
    assert not any(name.startswith("on") for name in found.names)
    assert text in "".join(found.words)


def test_the_table_has_values_intervals_drawings_and_the_receipt() -> None:
    html = cities()._repr_html_()
    assert all(part in html for part in ("1,200", "± 3", "guarantee: 0.2-differentially private", f"7:{HEAD}"))
    assert html.count("<svg") == 6


def test_long_answers_are_cut_and_say_so() -> None:
    html = answered(noisy(), rows=[(i,) for i in range(150)])._repr_html_()
    assert html.count("<tr>") == 101
    assert "and 50 more rows" in html
