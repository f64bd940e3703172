"""Families as JSON: read back as they were, and single groups that answer as they did among others."""

from __future__ import annotations

import json

import numpy as np
import pytest

from discreet.base.canonical import write_json
from discreet.base.errors import ParameterError
from discreet.families.conjunctions import Conjunctions
from discreet.families.domain import DenseTable, Domain
from discreet.families.explicit import TableFamily, WrittenGroup
from discreet.families.family import Family
from discreet.families.marginals import Marginals
from discreet.families.parities import Parities
from discreet.families.ranges import Ranges
from discreet.families.trees import Tree
from discreet.families.written_forms import read_family, take_group, write_family

MIXED, BITS = Domain((2, 3, 4)), Domain((2, 2, 2))
EACH: list[Family] = [
    Marginals.up_to(MIXED, 2),
    Marginals.in_blocks(MIXED, (1, 2), (1, 3)),
    Marginals(MIXED, ((),)),
    Parities.up_to(BITS, 2),
    Ranges.prefixes(MIXED, (1, 2)),
    Tree(MIXED, 2, 2),
    Tree(MIXED, 2, 2, root=True),
    Conjunctions.points(MIXED, (0, 1)),
    TableFamily(MIXED, (WrittenGroup((0,), np.array([[1, -2]])), WrittenGroup((1,), np.array([[1, 0, 3]])))),
]
each_family = pytest.mark.parametrize("family", EACH, ids=lambda family: type(family).__name__)


def answers(family: Family) -> list[list[int]]:
    counts = np.random.default_rng(0).integers(0, 99, family.domain.sizes)
    return [each.tolist() for each in family.answer_all(DenseTable(family.domain, counts))]


@each_family
def test_what_is_read_back_is_the_same_family(family: Family) -> None:
    read = read_family(json.loads(write_json(write_family(family))))
    assert type(read) is type(family)
    assert read.describe() == family.describe()
    assert answers(read) == answers(family)


@each_family
def test_a_group_alone_answers_and_is_bounded_as_among_others(family: Family) -> None:
    for group in range(family.groups):
        alone = take_group(family, group)
        assert alone.groups == 1
        assert answers(alone) == [answers(family)[group]]
        assert alone.bound_row(0) == family.bound_row(group)
        assert alone.find_columns(0) == family.find_columns(group)
    with pytest.raises(ParameterError):
        take_group(family, family.groups)


def test_what_no_family_wrote_is_refused() -> None:
    with pytest.raises(ParameterError, match="marginals, parities, ranges"):
        read_family({"circles": {"sizes": [2]}})
