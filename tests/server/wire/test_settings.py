"""What can be set: prices above all, of which there is none until somebody names one."""

from __future__ import annotations

import time

import pytest

from discreet.server.wire.errors import WireError
from discreet.server.wire.settings import OWN, PRICES, WireSettings

NEW = WireSettings("alice")


def test_there_is_no_price_until_somebody_names_one() -> None:
    assert not NEW.priced
    assert all(OWN[key] == "" for key in PRICES)
    terms = NEW.terms()
    assert (terms["epsilon"], terms["rho"], terms["within"], terms["fresh"]) == (None, None, None, False)


def test_a_new_price_takes_the_place_of_another() -> None:
    priced = NEW.set("discreet.epsilon", "0.1").set("discreet.rho", "0.02")
    assert (priced.own("epsilon"), priced.own("rho")) == ("", "0.02")
    within = priced.set("DISCREET.WITHIN", '{"n": 50}')
    assert within.terms()["within"] == {"n": 50}
    assert within.terms()["rho"] is None
    assert not within.set("discreet.within", "").priced
    assert not within.reset().priced


@pytest.mark.parametrize(
    ("text", "epsilon"),
    [
        ("/* epsilon = 0.1 */ SELECT 1", "0.1"),
        ("SELECT 1 -- epsilon=0.1", "0.1"),
        ("SELECT /* discreet.epsilon : 0.1, intervals = on */ 1", "0.1"),
        ("SELECT '/* epsilon = 0.1 */'", "0.3"),
        ('SELECT "-- epsilon = 0.1"', "0.3"),
        ("SELECT $$ /* epsilon = 0.1 */ $$", "0.3"),
        ("/* the epsilon = 0.1 of yesterday */ SELECT 1", "0.3"),
        ("/* epsilon = 0.1, sender = 7 */ SELECT 1", "0.3"),
    ],
)
def test_a_comment_sets_a_price_for_one_statement_alone(text: str, epsilon: str) -> None:
    session = NEW.set("discreet.epsilon", "0.3")
    assert session.apply_comments(text).own("epsilon") == epsilon
    assert session.own("epsilon") == "0.3"


@pytest.mark.parametrize(
    "text", ["/* epsilon = 1 */ SELECT 1 /* epsilon = 2 */", "/* epsilon = 1 */ -- rho = 2", "/* epsilon = much */"]
)
def test_comments_that_disagree_are_refused(text: str) -> None:
    with pytest.raises(WireError):
        NEW.apply_comments(text)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("discreet.epsilon", "-1"),
        ("discreet.epsilon", "1e9999"),
        ("discreet.epsilon", "nan"),
        ("discreet.epsilon", "inf"),
        ("discreet.confidence", "1"),
        ("discreet.confidence", "0"),
        ("discreet.intervals", "perhaps"),
        ("discreet.within", "[1]"),
        ("discreet.within", '{"n": -1}'),
        ("discreet.within", '{"n": true}'),
        ("discreet.max_rows", "0"),
        ("discreet.left_out", "rows"),
        ("discreet.left_out", "0"),
        ("discreet.integers", "text"),
        ("discreet.fresh", "two words"),
        ("discreet.unheard", "1"),
        ("client_encoding", "LATIN1"),
        ("server_version", "16"),
        ("statement_timeout", "soon"),
        ("unheard", "1"),
        ("application_name", "x" * 2_000),
    ],
)
def test_values_that_cannot_be_are_refused(name: str, value: str) -> None:
    with pytest.raises(WireError):
        NEW.set(name, value)


def test_spans_of_time_have_units() -> None:
    assert NEW.timeout is None
    assert NEW.set("statement_timeout", "1500").timeout == 1.5
    assert NEW.set("statement_timeout", "2min").timeout == 120


def test_what_is_left_out_is_units_or_rows() -> None:
    assert NEW.terms()["left_out"] is None
    assert NEW.apply_comments("/* left_out = units */ SELECT 1").terms()["left_out"] == "units"
    assert NEW.set("discreet.left_out", "10").terms()["left_out"] == 10


def test_a_fresh_answer_carries_its_key() -> None:
    terms = NEW.set("discreet.fresh", "tuesday-7").terms()
    assert (terms["fresh"], terms["key"]) == (True, "tuesday-7")


def test_a_long_comment_sets_nothing_and_is_passed_over_at_once() -> None:
    began = time.perf_counter()
    assert NEW.apply_comments(f"/*{';' * 95_000}*/ SELECT 1").own("epsilon") == ""
    assert NEW.apply_comments(f"/* epsilon = 0.1{' ' * 1_000}*/ SELECT 1").own("epsilon") == "0.1"
    assert time.perf_counter() - began < 5
