"""All that a census release is made of, before anything is counted: public facts, checked against one another."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property
from pathlib import Path

from discreet.base.canonical import Json, hash_bytes, hash_json
from discreet.base.errors import ParameterError
from discreet.base.showing import ShownAsText
from discreet.policy.exact import write_number
from discreet.policy.model import Policy, Table
from discreet.privacy.neighbours import Neighbours
from discreet.topdown.spec.allocation import Allocation, write_rho
from discreet.topdown.spec.geography import Geography, Level
from discreet.topdown.spec.invariants import Invariant
from discreet.topdown.spec.propagation import LevelInvariants
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.recodes import AnswerAxis, CategoryValue, Recode, list_labels
from discreet.topdown.spec.schema import CensusSchema
from discreet.topdown.spec.spine import Spine

Targets = Mapping[tuple[str, str], Fraction]
"""Wanted standard deviations, by the names of a level and a query."""


@dataclass(frozen=True, eq=False, repr=False)
class CensusSpec(ShownAsText):
    """A census release as its owner declared it; `read_spec` makes one, and has checked all of it.

    Guaranteed: shares add up to exactly 1; every query and level that is named is there; invariants are of public
    files, agree with one another, and are no exact totals under add-remove neighbours; `table` is a private table of
    the policy, and `area` and the attributes are columns of it that may be used.
    """

    path: Path
    policy: Policy
    table: str
    """The private table: one row for each person."""
    area: str
    """Its column with the name of the smallest area, as the geography's file writes it."""
    schema: CensusSchema
    recodes: tuple[Recode, ...]
    queries: tuple[Query, ...]
    axes: Mapping[str, tuple[AnswerAxis, ...]]
    """For each query by name, what its answers stand for."""
    spine: Spine
    allocation: Allocation
    invariants: tuple[Invariant, ...]
    """As stated."""
    known: tuple[LevelInvariants, ...]
    """For each level, all that the invariants say of it: those of lower levels are added up."""
    targets: Targets = field(default_factory=dict)

    @property
    def geography(self) -> Geography:
        """The tree of areas that are measured."""
        return self.spine.geography

    @property
    def declared(self) -> Table:
        """What the policy says about the private table."""
        return self.policy.table(self.table)

    @property
    def rows(self) -> int:
        """How many rows one unit has at most."""
        return count_rows_of_unit(self.declared)

    @property
    def factor(self) -> int:
        """2 under replace neighbours, else 1."""
        return 2 if self.policy.neighbours is Neighbours.REPLACE else 1

    @property
    def guarantee(self) -> tuple[str, ...]:
        """What the receipt says beside epsilon: between which databases the guarantee holds."""
        return tuple(_describe_guarantee(each, self.geography.levels[each.level].name) for each in self.invariants)

    def find_query(self, name: str) -> Query:
        """Return the query of this name."""
        for query in self.queries:
            if query.name == name:
                return query
        raise ParameterError("query", name, f"one of {', '.join(each.name for each in self.queries)}")

    def list_measured(self, level: int) -> tuple[Query, ...]:
        """Return the queries that are measured at a level, in the order of the spec."""
        shares = self.allocation.queries[level]
        return tuple(query for query in self.queries if shares.get(query.name, 0) > 0)

    def label_answers(self, query: str) -> list[tuple[CategoryValue, ...]]:
        """Return what each answer of a query stands for: a label for each of its axes."""
        return list_labels(self.axes[self.find_query(query).name])

    @cached_property
    def digest(self) -> str:
        """The hash of all that is declared: two specs with the same one ask for the same release."""
        return hash_json(self.describe())

    def describe(self) -> Json:
        """Return all that is declared in one form: names, numbers and hashes of long lists. No paths."""
        return {
            "table": self.table,
            "area": self.area,
            "rows": self.rows,
            "neighbours": self.policy.neighbours.value,
            "attributes": [[each.name, list(each.values)] for each in self.schema.attributes],
            "zeros": hash_bytes(self.schema.impossible.tobytes()),
            "queries": {each.name: _describe_parts(each) for each in self.queries},
            "levels": [_describe_level(level) for level in self.geography.levels],
            "rho": str(self.allocation.rho),
            "delta": str(self.allocation.delta),
            "shares": [
                [str(share), {name: str(part) for name, part in queries.items()}]
                for share, queries in zip(self.allocation.levels, self.allocation.queries, strict=True)
            ],
            "invariants": [_describe_invariant(each) for each in self.invariants],
        }

    def __str__(self) -> str:
        marks = zip(self.geography.levels, self.spine.stand_ins, strict=True)
        sizes = ", ".join(f"{level.name} {len(level) - int(stand_ins.sum()):,}" for level, stand_ins in marks)
        shape = " x ".join(map(str, self.schema.shape))
        lines = [
            f"{self.path}: table {self.table}, neighbours {self.policy.neighbours}",
            f"  areas: {sizes}",
            f"  cells: {shape} = {self.schema.cells:,}, {int(self.schema.impossible.sum()):,} of them impossible",
            f"  queries: {', '.join(each.name for each in self.queries)}",
            f"  rho {write_rho(self.allocation.rho)}, delta {write_number(self.allocation.delta)}",
        ]
        return "\n".join([*lines, *(f"  {words}" for words in self.guarantee)])


def count_rows_of_unit(table: Table) -> int:
    """Return how many rows of one unit are counted at most: of one group, since a census has no other keys."""
    if table.rows_are_units:
        return 1
    bounds = [each for each in (table.max_rows, table.max_rows_per_group) if each is not None]
    if not bounds:
        raise ParameterError("table", table.name, "a private table whose units have a bounded number of rows")
    return min(bounds)


def _describe_guarantee(invariant: Invariant, level: str) -> str:
    """Say what an invariant means for the guarantee."""
    fixed = invariant.most is not None and bool(((invariant.most == invariant.values) & (invariant.values > 0)).any())
    if invariant.exact or fixed:
        said = f"have the same answers to {invariant.query.name} in every area of {level}"
    else:
        said = f"keep the public bounds on {invariant.query.name} in every area of {level}"
    return f"{invariant.name}: public, from a file of the owner's; the guarantee holds between databases that {said}"


def _describe_parts(query: Query) -> Json:
    return [[part.attribute, list(part.groups)] for part in query.parts]


def _describe_level(level: Level) -> Json:
    names = hash_bytes("\0".join(level.areas).encode())
    return [level.name, len(level), names, hash_bytes(level.parents.astype("<i8").tobytes())]


def _describe_invariant(invariant: Invariant) -> Json:
    """Return the form of an invariant: its numbers as a hash."""
    most = None if invariant.most is None else hash_bytes(invariant.most.astype("<i8").tobytes())
    values = hash_bytes(invariant.values.astype("<i8").tobytes())
    return [invariant.name, invariant.level, invariant.query.name, invariant.exact, values, most]
