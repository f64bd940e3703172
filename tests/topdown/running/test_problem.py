"""What is estimated: public numbers as readings, and nested families for rounding."""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from discreet.topdown.running.problem import choose_family, make_problem
from discreet.topdown.spec.invariants import Invariant
from discreet.topdown.spec.reading import read_spec
from topdown.estimate.dense import ask, ask_all, make_schema
from topdown.small_release import SmallCensus

SCHEMA = make_schema(4, 2, 3)
FIRST, PAIR, SECOND = ask(SCHEMA, a0=None), ask(SCHEMA, a0=None, a1=None), ask(SCHEMA, a1=None)
COARSE, ALL, TOTAL = ask(SCHEMA, a0=[0, 0, 1, 1]), ask_all(SCHEMA), ask(SCHEMA)


def test_a_family_is_nested_and_begins_with_the_largest_share() -> None:
    shares = {FIRST.name: Fraction(1, 10), SECOND.name: Fraction(1, 2), PAIR.name: Fraction(1, 5)}
    chosen = choose_family([TOTAL, FIRST, SECOND, PAIR, ALL], shares, [])
    assert [each.parts for each in chosen] == [SECOND.parts, PAIR.parts]
    assert choose_family([PAIR, FIRST], {FIRST.name: Fraction(1)}, []) == (FIRST, PAIR)


def test_a_family_does_not_cross_what_is_known() -> None:
    known = Invariant("known", 0, FIRST, np.zeros((1, 4), dtype=np.int64), exact=False)
    assert choose_family([SECOND, COARSE, PAIR], {SECOND.name: Fraction(1)}, [known]) == (COARSE, PAIR)


def test_only_exact_public_numbers_are_readings(small_census: SmallCensus) -> None:
    problem = make_problem(read_spec(small_census.path))
    (public,) = problem.list_public()
    assert (public.level, public.query.name, public.variance) == (1, "total", 0.0)
    assert public.values.sum() == 600


def test_areas_that_stand_in_are_not_shown(small_census: SmallCensus) -> None:
    problem = make_problem(read_spec(small_census.path))
    assert [int(each.sum()) for each in problem.shown] == [1, 2, 5, 22]
    assert [len(level) for level in problem.geography.levels] == [1, 2, 7, 22]
