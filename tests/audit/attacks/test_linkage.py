"""Linkage: who is alone with a combination is found; a private release has no such combination."""

from __future__ import annotations

from collections import Counter

import pyarrow as pa
import pytest

from discreet.audit.attacks.linkage import Linkage, link
from discreet.audit.attacks.releasing import ReleasedCounts, SecretCounts, find_right
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
    assert (found.released, found.released_combinations) == (2, 1)
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
    assert (few.guessed[1], few.guessed[2]) == (None, None)
    told = " ".join(str(few).split())
    assert "no value of the secret has enough people" in told
    assert "nothing appears that could be guessed from" in told


MANY = pa.table(
    {"floor": ["one", "two"] * 800, "code": ["usual"] * 100 + [f"code {each % 15}" for each in range(1500)]}
)
"""So many secrets that a tenth of epsilon is too little for totals."""


@pytest.fixture(scope="module")
def many() -> Linkage:
    return link(MANY, ["floor"], "code", epsilon=0.5)


def test_everybody_is_guessed_by_the_most_frequent_secret_that_appears(many: Linkage) -> None:
    assert many.totals == ()
    assert many.released > 0
    assert many.guessed[1] is not None
    assert many.guessed[1] > 0.03
    assert many.guessed[2] is None
    assert "no total appears" in " ".join(str(many).split())


def test_combinations_are_those_of_the_columns_alone(many: Linkage) -> None:
    told = " ".join(str(many).split())
    assert "as it is 2 combinations" in told
    assert f"{many.released} counts appear, of {many.released_combinations} combinations" in told.replace(
        "of 1 combination,", "of 1 combinations,"
    )
    assert "no totals: 0.1 of epsilon is for them" in told


def test_people_are_covered_who_are_in_a_count_that_appears() -> None:
    halves = pa.table({"floor": ["one"] * 401, "ill": ["no"] * 400 + ["yes"]})
    found = link(halves, ["floor"], "ill", epsilon=4.0)
    assert found.covered == 400
    assert "400 of 401 (99.8 %) people are in a count that appears" in " ".join(str(found).split())


def test_a_secret_that_no_count_tells_of_is_guessed_by_those_of_others() -> None:
    known: SecretCounts = {("a",): Counter({"flu": 3, "none": 2})}
    keys, secrets = [("a",), ("a",), ("b",), ("b",)], ["flu", "none", "none", "none"]
    assert find_right(known, "none", keys, secrets) == 0.75
    assert find_right(known, "flu", keys, secrets) == 0.25
    assert find_right({}, None, keys, secrets) is None


@pytest.mark.parametrize(
    ("totals", "usual"),
    [({"flu": 9, "none": 8}, "flu"), ({"": 9}, ""), ({}, "none")],
    ids=["totals", "empty", "counts"],
)
def test_the_usual_secret_is_that_of_the_totals_else_of_all_counts(totals: dict[str, int], usual: str) -> None:
    assert ReleasedCounts({("a", "flu"): 5, ("b", "none"): 4, ("c", "none"): 3}, totals, "").find_usual() == usual


def test_nothing_that_appears_has_no_usual_secret() -> None:
    assert ReleasedCounts({}, {}, "").find_usual() is None


def test_the_guarantee_is_that_of_all_counts_and_totals_together() -> None:
    found = link(TABLE, ["town"], "ill", epsilon=2.0, delta=1e-6)
    assert found.guarantee == "(2, 1e-06)-differentially private"
    assert found.to_dict()["guarantee"] == found.guarantee


def test_made_up_people_are_nearly_all_found() -> None:
    made = link(people=600, seed=1)
    assert made.unique > 0.97 * 600
    assert made.released_unique == 0
    table, curator, _ = made.guessed
    assert table is not None
    assert table > 0.97
    assert curator is None or curator < 0.75


@pytest.mark.parametrize(
    ("columns", "secret", "words"),
    [
        (["ill"], "ill", "columns must be columns that are not the secret, which is ill"),
        (["street"], "ill", "columns must be one of age, town, ill; got"),
        (["town"], "street", "secret must be one of age, town, ill; got 'street'"),
    ],
)
def test_columns_that_do_not_do_are_refused(columns: list[str], secret: str, words: str) -> None:
    with pytest.raises(DiscreetError, match=words):
        link(TABLE, columns, secret)


def test_a_delta_that_could_publish_somebody_is_refused() -> None:
    with pytest.raises(ParameterError, match="for all people together"):
        link(TABLE, ["age"], "ill", delta=0.001)


@pytest.mark.parametrize(("delta", "words"), [(1e-300, "0, or at least 1e-100; got 1e-300"), (0, "at least 1e-100: ")])
def test_a_delta_too_small_for_a_policy_is_refused_as_such(delta: float, words: str) -> None:
    with pytest.raises(ParameterError, match=f"delta must be {words}"):
        link(TABLE, ["age"], "ill", delta=delta)


def test_one_row_is_told_as_one() -> None:
    told = " ".join(str(link(TABLE.slice(0, 1), ["age"], "ill")).split())
    assert "1 row without names" in told
    assert "as it is 1 combination," in told
