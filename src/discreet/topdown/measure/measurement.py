"""The operation behind a census release: every level and query from one pass over the rows, for one charge.

The rows are read once, and held as counts by smallest area and cell. Each query at each level is one measurement at the
desk, with its own noise, paid for once however many parts it has. The charge is what all of them cost together,
computed as the desk computes it. A run that dies goes on where it was: parts that are journaled are not drawn again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import ClassVar

import numpy as np

from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.base.wide import Ints
from discreet.curator.door.desk import Desk
from discreet.curator.door.levels import AreaCodes, AreaCounts, cost_areas, hash_numbers
from discreet.curator.door.schedule import Schedule
from discreet.curator.session import Session
from discreet.mechanisms import Gaussian
from discreet.mechanisms.identity import describe_mechanism
from discreet.plan.rows_plan import RowsPlan
from discreet.privacy.charges import Charge
from discreet.topdown.measure.area_codes import place_areas
from discreet.topdown.measure.asked import AskedQuery, check_asked, check_delta, cost_asked
from discreet.topdown.measure.measurements import CensusMeasurements, ReadPart, read_record, write_record
from discreet.topdown.measure.people import find_column, write_people
from discreet.topdown.spec.geography import Geography
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.schema import CensusSchema


@dataclass(frozen=True, eq=False)
class CensusMeasurement:
    """Measures queries at the levels of a geography, each with its exact part of rho.

    Neither names of queries and levels nor impossible combinations shape what is measured: they may change, and the
    same measurement is found.
    """

    kind: ClassVar[str] = "census"
    version: ClassVar[int] = 1

    plan: RowsPlan
    table: str
    geography: Geography
    schema: CensusSchema
    codes: AreaCodes
    asked: tuple[AskedQuery, ...]
    read_part: ReadPart

    @property
    def charge(self) -> Charge:
        """What all measurements cost, exactly: rho alone."""
        return cost_asked(self.asked, self.plan)

    @cached_property
    def noises(self) -> tuple[Gaussian, ...]:
        """The noise of each measurement."""
        return tuple(each.make_noise(self.plan) for each in self.asked)

    def parameters(self) -> Json:
        """Return all that shapes the result beside the plan."""
        return {
            "geography": hash_geography(self.geography),
            "codes": self.codes.name,
            "schema": [
                [each.name, [_describe_value(value) for value in each.values]] for each in self.schema.attributes
            ],
            "measured": [
                [each.level, describe_query(each.query), describe_mechanism(noise)]
                for each, noise in zip(self.asked, self.noises, strict=True)
            ],
        }

    def describe(self) -> str:
        """Say in a line what is measured, for the ledger's readers."""
        levels = ", ".join(f"{level.name} {len(level):,}" for level in self.geography.levels)
        return f"census of {self.table}: {len(self.asked)} measurements in {levels}"[:300]

    def plans(self) -> tuple[RowsPlan, ...]:
        """Return the plan of the table's rows."""
        return (self.plan,)

    def run(self, desk: Desk) -> bytes:
        """Measure everything, in the order in which it was asked, and return the names of all parts."""
        kept = []
        for each, noise in zip(self.asked, self.noises, strict=True):
            areas = AreaCounts(self.codes, self.geography.ancestors[each.level], self._pad(each.query.places))
            kept.append(desk.count_areas(self.plan, areas, noise))
        return write_record(kept)

    def finish(self, measured: bytes) -> CensusMeasurements:
        """Return the measurements, which are read when they are needed."""
        return read_record(measured, self.asked, self.noises, self.read_part)

    def _pad(self, places: Ints) -> Ints:
        """Return an answer for each cell of the plan: where there is one cell, two are planned, and no row is there."""
        return np.pad(places, (0, self.plan.columns[-1].grid.upper + 1 - len(places)))


@dataclass(frozen=True, eq=False)
class CertifiedMeasurement(CensusMeasurement):
    """The same, charged what the accountant certifies for the whole: (epsilon, delta), and no rho beyond it.

    All losses are fixed in advance. Epsilon is smaller than what rho comes to, but adds up with other charges as
    epsilons do.
    """

    delta: float = 0.0

    @cached_property
    def schedule(self) -> Schedule:
        """The loss of each measurement, in order."""
        return Schedule(tuple((cost_areas(self.plan, noise)[1], 1) for noise in self.noises), self.delta)

    @property
    def charge(self) -> Charge:
        """What the schedule costs: its certified epsilon, at its delta."""
        return self.schedule.charge


def prepare_measurement(
    session: Session,
    table: str,
    area: str,
    geography: Geography,
    schema: CensusSchema,
    asked: Iterable[AskedQuery],
    *,
    delta: float | Fraction | None = None,
    max_rows: int | None = None,
) -> CensusMeasurement:
    """Return the operation, or refuse what could not run: nothing is read, and nothing is charged.

    `area` is the column with the name of each row's smallest area. With `delta` the whole is charged its certified
    epsilon at that delta, else rho.
    """
    resolved, every = session.tables[table], tuple(asked)
    if resolved.table.public:
        raise ParameterError("table", resolved.table.name, "a private one: a public table can be counted as it is")
    if not session.budget.total.delta:
        raise ParameterError(
            "table", resolved.table.name, "one of a policy whose budget has a delta: noise is Gaussian"
        )
    check_asked(every, geography, schema)
    for attribute in schema.attributes:
        find_column(resolved, attribute.name)
    areas = place_areas(find_column(resolved, area), geography.leaves.areas)
    sql, parameters = write_people(resolved.table.name, areas, schema)
    plan = session.plan_rows(sql, parameters, max_rows)
    if delta is not None:
        check_delta(delta, resolved.table.size)
    parts = (plan, resolved.table.name, geography, schema, AreaCodes(areas.list_codes()), every, session.read_part)
    if delta is None:
        return CensusMeasurement(*parts)
    return CertifiedMeasurement(*parts, float(delta))


def hash_geography(geography: Geography) -> str:
    """Return the hash of a geography's canonical form: every area's name and parent; levels themselves have no name."""
    told = hashlib.sha256(b"geography 1")
    for level in geography.levels:
        lengths = np.array([len(name.encode()) for name in level.areas], dtype=np.int64)
        for part in (
            hash_numbers(lengths).encode(),
            "".join(level.areas).encode(),
            hash_numbers(level.parents).encode(),
        ):
            told.update(part)
    return told.hexdigest()


def describe_query(query: Query) -> Json:
    """Return the form of a query: its attributes, and the group of each of their values."""
    return [[part.attribute, list(part.groups)] for part in query.parts]


def _describe_value(value: str | int | bool) -> Json:
    return [type(value).__name__, str(value)]
