"""What is estimated: the tree, what is counted, what is public; and how children are solved for."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from discreet.noise.coin import Bools
from discreet.topdown.readings import LevelReading
from discreet.topdown.spec.bounds import map_answers
from discreet.topdown.spec.census_spec import CensusSpec
from discreet.topdown.spec.geography import Geography
from discreet.topdown.spec.invariants import Invariant
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.schema import CensusSchema
from discreet.topdown.spec.spine import PublishedAreas

UP_AND_DOWN, PLAIN = "up and down", "plain"
OBJECTIVES = (UP_AND_DOWN, PLAIN)
"""What a level is fitted to: all readings in and below each area, or those of the level itself alone."""


@dataclass(frozen=True, eq=False)
class CensusProblem:
    """All that is public of a release, as its estimate needs it."""

    geography: Geography
    schema: CensusSchema
    queries: tuple[Query, ...]
    stated: tuple[Invariant, ...]
    """As the owner stated them."""
    known: tuple[tuple[Invariant, ...], ...]
    """For each level, all that they say of it."""
    families: tuple[tuple[Query, ...], ...]
    """For each level, the queries whose answers are rounded to the next whole number up or down."""
    shown: tuple[Bools, ...]
    """For each level, which of its areas are published: not those that stand in for a level that was skipped."""
    regrouped: Mapping[str, PublishedAreas] = field(default_factory=dict)
    """For each level that is published by other areas than it is measured by, these."""

    def list_public(self) -> list[LevelReading]:
        """Return the numbers that are public and exact, as readings without noise."""
        return [LevelReading(each.level, each.query, 0.0, each.values) for each in self.stated if each.exact]


def make_problem(spec: CensusSpec) -> CensusProblem:
    """Return what is estimated for a spec."""
    levels = range(len(spec.geography.levels))
    shares = [{query.name: spec.allocation.find_rho(level, query.name) for query in spec.queries} for level in levels]
    families = tuple(choose_family(spec.queries, shares[level], spec.known[level]) for level in levels)
    return CensusProblem(
        spec.geography,
        spec.schema,
        spec.queries,
        spec.invariants,
        spec.known,
        families,
        tuple(~each for each in spec.spine.stand_ins),
        {level: spec.spine.find_published(level) for level in spec.spine.regrouped},
    )


def choose_family(
    queries: Sequence[Query], shares: Mapping[str, Fraction], known: Sequence[Invariant]
) -> tuple[Query, ...]:
    """Return queries that are nested within one another and within what is known, those of the largest share first.

    Then rounding is a linear program with whole vertices. A query of all cells adds nothing, nor does the total, which
    is always there.
    """
    chosen: list[Query] = []
    fixed = [each.query for each in known]
    for query in sorted(queries, key=lambda each: -shares.get(each.name, Fraction(0))):
        if 1 < query.size < query.schema.cells and all(_are_nested(query, other) for other in [*chosen, *fixed]):
            chosen.append(query)
    return tuple(chosen)


def _are_nested(one: Query, other: Query) -> bool:
    return map_answers(one, other) is not None or map_answers(other, one) is not None
