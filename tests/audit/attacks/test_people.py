"""People of one's own table: which bit is the secret, and who is drawn."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from discreet.audit.attacks import average, difference, reconstruct
from discreet.audit.attacks.people import Secret, find_secret, make_secret
from discreet.base.errors import DiscreetError, ParameterError

TABLE = pa.table({"ill": [True, False, None, True], "ward": ["a", "b", None, "a"], "age": [30, 40, 50, 30]})


def test_a_secret_is_a_value_of_a_column() -> None:
    assert find_secret(TABLE, "ill").bits.tolist() == [True, False, False, True]
    assert find_secret(TABLE, "ward", "b").bits.tolist() == [False, True, False, False]
    assert find_secret(TABLE, "age", "30").words == "age = 30"


def test_a_value_may_be_given_as_it_is_in_the_table() -> None:
    assert find_secret(TABLE, "age", 30).words == "age = 30"  # type: ignore[arg-type]
    assert find_secret(TABLE, "ill", True).words == "ill = true"  # type: ignore[arg-type]


def test_what_is_told_of_a_secret_names_its_table() -> None:
    assert find_secret(TABLE, "ward", "b", name="people.csv").words == "ward = b in people.csv"


@pytest.mark.parametrize("attack", [average, difference, reconstruct])
def test_what_is_no_secret_is_refused(attack: Any) -> None:
    with pytest.raises(ParameterError, match=r"secret must be a Secret, as find_secret.* returns it; got str"):
        attack("x")


@pytest.mark.parametrize(
    ("column", "value", "words"),
    [
        ("weight", None, "column must be one of ill, ward, age"),
        ("ward", None, r"value must be given, since it says who has the secret ward: \(missing\), a, b; got None"),
        ("ward", "c", "value must be a value of ward"),
    ],
)
def test_a_secret_that_is_not_there_is_refused(column: str, value: str | None, words: str) -> None:
    with pytest.raises(DiscreetError, match=words):
        find_secret(TABLE, column, value)


def test_what_everybody_has_is_no_secret() -> None:
    with pytest.raises(DiscreetError, match="no secret"):
        find_secret(pa.table({"ill": [1, 1]}), "ill")


def test_a_fair_coin_says_of_everybody_drawn_whether_they_have_the_secret() -> None:
    chance = np.random.default_rng(1)
    rare = Secret(np.arange(10_000) < 2_000, "rare")
    shares = [rare.bits[rare.draw(1_000, chance)].mean() for _ in range(50)]
    assert abs(np.mean(shares) - 0.5) < 4 * 0.5 / np.sqrt(50_000)
    assert np.std(shares) > 0.008  # coins, one by one: not half of them each time, which the last bit would tell


def test_nobody_is_drawn_twice_unless_that_is_asked_for() -> None:
    chance = np.random.default_rng(1)
    few = Secret(np.array([True] * 40 + [False] * 40), "few")
    assert len(set(few.draw(40, chance).tolist())) == 40
    assert len(few.draw(500, chance, again=True)) == 500
    with pytest.raises(DiscreetError, match="Draw fewer people"):
        few.draw(200, chance)


def test_made_up_people_have_the_secret_or_not() -> None:
    assert 0 < make_secret(2, np.random.default_rng(0)).bits.sum() < 2
