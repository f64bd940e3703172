"""Tracing: exact means tell who is in them; under (epsilon, delta) members caught stay below e^epsilon false alarms."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

from discreet.audit.attacks.tracing import THRESHOLDS, Tracing, encode_attributes, score_people, trace
from discreet.base.errors import DiscreetError, ParameterError

SLACK = 4
"""Standard errors of whole runs that a mean over runs may exceed what it is on average: 3e-5 by chance."""


@pytest.fixture(scope="module")
def small() -> Tracing:
    return trace(people=40, attributes=600, runs=5, seed=4)


def test_exact_means_tell_members_from_outsiders(small: Tracing) -> None:
    assert small.exact.area > 0.9
    assert max(small.exact.find_excess(each, 1.0, 1e-6)[0] for each in THRESHOLDS) > 0.2


def test_the_curators_means_catch_no_more_than_epsilon_allows(small: Tracing) -> None:
    assert small.guarantee == "(1, 1e-06)-differentially private"
    assert 0.3 < small.guarded.area < 0.7
    for threshold in THRESHOLDS[:3]:  # few people are beyond the last one: the long form looks at it
        excess, error = small.guarded.find_excess(threshold, 1.0, 1e-6)
        assert excess <= SLACK * error


def test_the_test_notices_exact_means(small: Tracing) -> None:
    excess, error = small.exact.find_excess(THRESHOLDS[3], 1.0, 1e-6)
    assert excess > SLACK * error


@pytest.mark.long
def test_the_sizes_that_were_asked_for() -> None:
    found = trace(people=100, attributes=5_000, runs=20)
    print(found)
    assert found.exact.area >= 0.9
    for threshold in THRESHOLDS:
        excess, error = found.guarded.find_excess(threshold, 1.0, 1e-6)
        print(threshold, found.guarded.find_caught(threshold), found.guarded.find_alarms(threshold), excess, error)
        assert excess <= SLACK * error


def test_outsiders_have_scores_of_deviation_one_whatever_was_released() -> None:
    chance = np.random.default_rng(2)
    known = chance.uniform(0.1, 0.9, 300)
    outsiders = chance.random((4_000, 300)) < known
    scores = score_people(outsiders, chance.random(300), known)
    assert abs(scores.mean()) < 0.08
    assert abs(scores.std() - 1) < 0.06


def test_what_is_told_names_what_is_compared(small: Tracing) -> None:
    told = " ".join(str(small).split())
    area = f"{small.exact.area:.1%}".replace("%", " %")
    assert f"a member has the higher score in {area} of all pairs of a member and an outsider" in told
    assert "catches more than 2.7 % of the members on average with 1 % false alarms, or 13.6 % with 5 %" in told


def test_attributes_of_a_table_are_the_values_of_its_columns() -> None:
    table = pa.table({"sex": ["f", "m", "f"], "age": [1, 2, 3]})
    assert encode_attributes(table, ["sex", "age"]).astype(int).tolist() == [
        [1, 0, 1, 0, 0],
        [0, 1, 0, 1, 0],
        [1, 0, 0, 0, 1],
    ]


def test_people_of_a_table_are_traced() -> None:
    rows = np.random.default_rng(3).random((90, 50)) < 0.5
    found = trace(rows, "my table", people=20, runs=1)
    assert found.attributes == 50
    assert found.exact.members.shape == (1, 20)
    assert "my table" in str(found)
    assert "for the owner's eyes only" in found.to_dict()["for"]


def test_bad_input_is_refused() -> None:
    with pytest.raises(DiscreetError, match="60 are needed"):
        trace(np.ones((59, 5), bool), people=20)
    with pytest.raises(ParameterError, match="attributes"):
        trace(attributes=0)
    with pytest.raises(ParameterError, match="rows must be an array of bits"):
        trace("people.csv")  # type: ignore[arg-type]
