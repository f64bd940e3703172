"""Problems are told together, each on its own line with the file, the key and the remedy."""

from __future__ import annotations

import tomllib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from discreet.base.errors import PolicyError
from discreet.policy.problems import Problems, explain_problem, join_path, quote, quote_value


def test_nothing_wrong_raises_nothing() -> None:
    problems = Problems("p.toml")
    problems.refuse()
    problems.add(("a",), "is wrong", "mend it")
    with pytest.raises(PolicyError):
        problems.refuse()


def test_every_problem_is_a_line_told_once_and_in_order() -> None:
    problems = Problems("p.toml")
    problems.add(("b", "c d"), "is wrong", "mend it")
    problems.add(("a",), "is odd", "take it out")
    problems.add(("b", "c d"), "is wrong", "mend it")
    with pytest.raises(PolicyError) as found:
        problems.refuse()
    assert str(found.value) == 'p.toml: b."c d": is wrong; mend it\np.toml: a: is odd; take it out'


def test_a_single_problem_has_the_same_form() -> None:
    assert str(explain_problem("p.toml", ("a", ""), "is wrong", "mend it")) == 'p.toml: a."": is wrong; mend it'


@given(st.lists(st.text(), min_size=1, max_size=3))
def test_a_dotted_key_is_the_key_in_toml(key: list[str]) -> None:
    found = tomllib.loads(f"{join_path(key)} = 1")
    for part in key:
        found = found[part]
    assert found == 1  # type: ignore[comparison-overlap]


@given(st.text())
def test_quoted_text_is_that_text_in_toml(text: str) -> None:
    assert tomllib.loads(f"x = {quote(text)}")["x"] == text
    assert "\n" not in quote(text)


def test_values_are_shown_as_toml_writes_them_on_one_short_line() -> None:
    assert [quote_value(value) for value in (True, False, 3, "a\nb")] == ["true", "false", "3", '"a\\nb"']
    assert len(quote_value("x" * 500)) == len(quote_value(list(range(500)))) == 53
