"""Linkage: who is alone with a combination is found; a private release has no such combination."""

from __future__ import annotations

import pyarrow as pa
import pytest

from discreet.audit.attacks.linkage import Linkage, link
from discreet.base.errors import DiscreetError, ParameterError

TABLE = pa.table(
    {
        "age": [30] * 400 + [31, 32, 33, 33, 34, 34],
        "town": ["Aachen"] * 400 + ["Bonn"] * 6,
        "ill": ["yes", "no"] * 200 + ["yes", "no", "yes", "yes", "yes", "no"],
    }
)


@pytest.fixture(scope="module")
def found() -> Linkage:
    return link(TABLE, ["age", "town"], "ill", epsilon=4.0)


def test_unique_combinations_are_counted_and_found(found: Linkage) -> None:
    assert (found.people, found.combinations, found.unique) == (406, 5, 2)
    assert found.told == 4  # those two, and the two of 33 years who have the same
    assert dict(found.sizes) == {"1": 2, "2": 4, "3 to 5": 0, "6 to 20": 0, "21 to 100": 0, "over 100": 400}


def test_a_private_release_has_what_many_share_and_nobody_who_is_alone(found: Linkage) -> None:
    assert found.released == 2
    assert found.released_unique == 0
    assert found.covered == 400


def test_totals_are_left(found: Linkage) -> None:
    assert {name: abs(noisy - true) < 60 for name, true, noisy in found.totals} == {"yes": True, "no": True}


def test_it_is_told_and_written(found: Linkage) -> None:
    assert "2 of 406 (0.5 %)" in str(found)
    assert found.to_dict()["unique_combinations"] == 2


def test_values_of_the_secret_for_which_there_is_no_room_are_counted() -> None:
    many = pa.table({"age": [1, 2] * 600, "ill": [f"illness {each % 8}" for each in range(1200)]})
    told = " ".join(str(link(many, ["age"], "ill", epsilon=50.0)).split())
    assert "(the truth in brackets), and 2 more values of the secret" in told
    few = pa.table({"age": [1, 2] * 600, "ill": [f"illness {each % 6}" for each in range(1200)]})
    assert "more value" not in str(link(few, ["age"], "ill", epsilon=50.0))


def test_a_few_people_leave_nothing_and_that_is_told() -> None:
    few = link(TABLE.slice(395), ["age", "town"], "ill", epsilon=0.5)
    assert (few.released, few.totals) == (0, ())
    assert "no value of the secret that enough people have" in " ".join(str(few).split())


def test_made_up_people_are_nearly_all_found() -> None:
    made = link(people=600, seed=1)
    assert made.unique > 0.97 * 600
    assert made.released_unique == 0
    assert made.guessed[0] > 0.97
    assert made.guessed[1] < 0.75


@pytest.mark.parametrize(
    ("columns", "secret", "words"),
    [
        ([], "ill", "one or more columns"),
        (["ill"], "ill", "not the secret"),
        (["age", "age"], "ill", "named once"),
        (["street"], "ill", "one of age, town, ill; got"),
        (["twon"], "ill", r"one of age, town, ill \(did you mean 'town'\?\); got 'twon'"),
    ],
)
def test_columns_that_do_not_do_are_refused(columns: list[str], secret: str, words: str) -> None:
    with pytest.raises(DiscreetError, match=words):
        link(TABLE, columns, secret)


def test_a_delta_that_could_publish_somebody_is_refused() -> None:
    with pytest.raises(ParameterError, match="for all people together"):
        link(TABLE, ["age"], "ill", delta=0.001)
