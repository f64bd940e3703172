"""Rows that Spark holds for one run, on its executors: sums over units are computed there, and only sums come back.

The statement of a plan of rows numbers units part by part (`limiting/unit_rows.py`), so Spark has brought all rows of a
unit into one partition when it hands them to Python. There they become blocks of points, which are persisted, and for
one encoding at a time blocks of features, which are too. Each sum is one job over these: the function with its public
weights goes to the executors, and one line of whole numbers for each partition comes back. The driver adds these up as
Python's integers.

How many partitions there are is a setting (`spark.sql.shuffle.partitions`); for tables whose rows are units it follows
from the size of their files, as in every other statement. Blocks that are lost with an executor are computed again from
the tables.
"""

from __future__ import annotations

import contextlib
import json
import uuid
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

import numpy as np
import pyarrow as pa

from discreet.engines.held import MemoryRows, RowTally, UnitSum, Wait, merge_rows
from discreet.engines.result import ExactRows, Run, stack_columns
from discreet.engines.running import EngineLostError, RunCancelledError
from discreet.engines.spark.blocks import FEATURES, POINTS, Batches, join_rows, read_points
from discreet.engines.spark.parts import (
    CODE,
    SUMS,
    EncodeBlocks,
    GatherBlocks,
    SumBlocks,
    TallyBlocks,
    hash_code,
    make_tally_schema,
    sum_nothing,
    tell_code,
)
from discreet.engines.spark.running import start_work
from discreet.engines.spark.session import SparkConnection
from discreet.gradients.encoding import Encoding
from discreet.plan.rows_plan import RowsPlan

E = TypeVar("E")

SQL_TYPES = {pa.int64(): "BIGINT", pa.string(): "STRING", pa.binary(): "BINARY"}

PROBED = 64
"""Rows of nobody that are sent to executors to ask what code they have; Spark divides them among all cores."""


class SparkRows:
    """The rows of one plan, persisted on executors from the first sum on until they are closed."""

    def __init__(
        self,
        session: SparkConnection,
        statement: str,
        plan: RowsPlan,
        wait: Wait,
        read: Callable[[], Run[ExactRows]],
    ) -> None:
        self._session, self._statement, self._plan, self._wait, self._read = session, statement, plan, wait, read
        self._points: Any = None
        self._features: Any = None
        self._encoding: Encoding | None = None
        self._here: MemoryRows | None = None

    def read(self) -> ExactRows:
        """Return all rows, at the desk: those that executors hold where they do, so that all is of one state."""
        if self._here is None:
            rows = self._wait(self._read) if self._points is None else self._work(self._collect)
            self._here = MemoryRows(lambda: rows)
        return self._here.read()

    def count(self) -> int:
        """Return how many rows there are."""
        return self._work(self._count) if self._here is None else self._here.count()

    def tally(self) -> RowTally:
        """Return the different rows, and how often each is there: Spark adds up, and no other row comes to the desk."""
        return self._work(self._tally) if self._here is None else self._here.tally()

    def sum(self, encoding: Encoding, function: UnitSum) -> list[int]:
        """Return the sum of a function over all units; rows that are at the desk already are summed there."""
        if self._here is not None:
            return self._here.sum(encoding, function)
        found: list[int] = self._work(lambda: self._sum(encoding, function))
        return found

    def close(self) -> None:
        """Let go of the rows."""
        for frame in (self._features, self._points):
            with contextlib.suppress(Exception):  # a cluster that is gone holds nothing any more
                if frame is not None:
                    frame.unpersist()
        self._features = self._points = self._encoding = self._here = None

    def _work(self, work: Callable[[], E]) -> E:
        return self._wait(partial(start_work, self._session, work))

    def _collect(self) -> ExactRows:
        return join_rows(read_points(self._plan, self._hold_points().toArrow().to_batches()), len(self._plan.columns))

    def _count(self) -> int:
        counts = self._hold_points().select("many").toArrow().column("many")
        return sum(counts.to_pylist())

    def _tally(self) -> RowTally:
        schema = make_tally_schema(self._plan)
        *points, many = schema.names
        counted = map_frame(self._hold_points(), TallyBlocks(self._plan), schema).groupBy(*points).sum(many).toArrow()
        found = stack_columns(column.to_numpy() for column in counted.columns)
        return merge_rows(found[:, :-1], found[:, -1])

    def _sum(self, encoding: Encoding, function: UnitSum) -> list[int]:
        found = map_frame(self._hold_features(encoding), SumBlocks(encoding, function), SUMS).toArrow()
        total = sum_nothing(encoding, function)
        for line in found.column("sums").to_pylist():
            total = total + np.array(json.loads(line), dtype=object)
        return [int(each) for each in total]

    def _hold_points(self) -> Any:
        if self._points is None:
            rows = self._session.session.sql(self._statement)
            self._points = map_frame(rows, GatherBlocks(uuid.uuid4().hex, self._plan), POINTS).persist()
        return self._points

    def _hold_features(self, encoding: Encoding) -> Any:
        if self._encoding != encoding:
            if self._features is not None:
                self._features.unpersist()
            self._features = map_frame(self._hold_points(), EncodeBlocks(self._plan, encoding), FEATURES).persist()
            self._encoding = encoding
        return self._features


def map_frame(frame: Any, function: Callable[[Batches], Batches], schema: pa.Schema) -> Any:
    """Return what a function makes of each partition of a frame."""
    listed = ", ".join(f"{field.name} {SQL_TYPES[field.type]}" for field in schema)
    return frame.mapInArrow(function, listed)


def shares_code(session: SparkConnection, wait: Wait) -> bool:
    """Say whether executors have the code that computes here; no table is read.

    Without the package, or with another Python, Spark fails in words of its own.
    """

    def ask() -> set[str]:
        asked = map_frame(session.session.range(PROBED), tell_code, CODE).toArrow()
        return set(asked.column("code").to_pylist())

    try:
        return wait(partial(start_work, session, ask)) == {hash_code()}
    except (RunCancelledError, EngineLostError):
        raise
    except Exception:
        return False
