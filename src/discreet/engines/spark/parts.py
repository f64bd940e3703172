"""What Spark's executors compute of a plan's rows, a partition at a time: each has all rows of its units.

Everything here is a pure function of a partition's rows and of public numbers: nothing is drawn, and nothing is
remembered. So a task that Spark runs again, on whatever machine, gives the same whole numbers.

What fails there says which kind of exception it was and nothing of its words, which could quote a row.
"""

from __future__ import annotations

import hashlib
import json
import pkgutil
from collections.abc import Iterator
from dataclasses import dataclass
from importlib import import_module
from inspect import getsource

import numpy as np
import pyarrow as pa

from discreet import gradients
from discreet.base.errors import FailedError
from discreet.base.wide import WideInts
from discreet.engines.held import UnitSum, merge_rows
from discreet.engines.result import stack_columns
from discreet.engines.spark.blocks import (
    Batches,
    read_features,
    read_points,
    split_rows,
    write_features,
    write_points,
)
from discreet.engines.steps import gather_rows
from discreet.gradients.encoding import Encoding
from discreet.plan.rows_plan import RowsPlan

SUMS = pa.schema([("sums", pa.string())])
"""The sum over a partition's units: a list of whole numbers of any size, as JSON."""

CODE = pa.schema([("code", pa.string())])


def make_tally_schema(plan: RowsPlan) -> pa.Schema:
    """Return the columns of counted rows: their points, and how often each is there."""
    points = [(f"point{place}", pa.int64()) for place in range(len(plan.columns))]
    return pa.schema([*points, ("many", pa.int64())])


@dataclass(frozen=True)
class GatherBlocks:
    """Puts the rows of each unit together, as blocks of points.

    `run` sets it apart from what another run made of the same statement, which Spark would take for the same rows.
    """

    run: str
    plan: RowsPlan

    def __call__(self, batches: Batches) -> Batches:
        """Yield blocks: one at least, so that a partition without rows is later a task like all others."""
        return _tell_kind_only(self._gather(batches))

    def _gather(self, batches: Batches) -> Batches:
        found = [np.empty((0, self.plan.units + len(self.plan.columns)), dtype=np.int64)]
        found += [stack_columns(column.to_numpy() for column in batch.columns) for batch in batches]
        exact = gather_rows(self.plan, np.concatenate(found))
        yield from (write_points(self.plan, block) for block in split_rows(exact))


@dataclass(frozen=True)
class EncodeBlocks:
    """Makes features of points, block by block."""

    plan: RowsPlan
    encoding: Encoding

    def __call__(self, batches: Batches) -> Batches:
        """Yield a block of features for each block of points."""
        blocks = read_points(self.plan, batches)
        return _tell_kind_only(write_features(self.encoding.encode(rows.points), rows.offsets) for rows in blocks)


@dataclass(frozen=True)
class SumBlocks:
    """Adds a function up over the units of a partition."""

    encoding: Encoding
    function: UnitSum

    def __call__(self, batches: Batches) -> Batches:
        """Yield one sum."""
        return _tell_kind_only(self._sum(batches))

    def _sum(self, batches: Batches) -> Batches:
        total = sum_nothing(self.encoding, self.function)
        for rows, offsets in read_features(self.encoding, batches):
            total = total + np.array(self.function(rows, offsets), dtype=object)
        yield pa.record_batch([[json.dumps(total.tolist())]], schema=SUMS)


@dataclass(frozen=True)
class TallyBlocks:
    """Counts equal rows, block by block: units are not told apart any more."""

    plan: RowsPlan

    def __call__(self, batches: Batches) -> Batches:
        """Yield the different rows of each block, and how often each is there."""
        return _tell_kind_only(self._tally(batches))

    def _tally(self, batches: Batches) -> Batches:
        for rows in read_points(self.plan, batches):
            found = merge_rows(rows.points, np.ones(len(rows.points), dtype=np.int64))
            yield pa.record_batch([*found.points.T, found.counts], schema=make_tally_schema(self.plan))


def sum_nothing(encoding: Encoding, function: UnitSum) -> WideInts:
    """Return the sum of a function over no units: as many zeros as it has entries."""
    nobody = encoding.encode(np.empty((0, encoding.columns), dtype=np.int64))
    return np.array(function(nobody, np.zeros(1, dtype=np.int64)), dtype=object)


def tell_code(batches: Batches) -> Batches:
    """Yield a hash of the code that computes here."""
    for _ in batches:
        yield pa.record_batch([[hash_code()]], schema=CODE)


def hash_code() -> str:
    """Return a hash of the code that sums rest on: executors that have another must not compute any."""
    names = [f"{gradients.__name__}.{each.name}" for each in pkgutil.iter_modules(gradients.__path__)]
    told = hashlib.sha256()
    used = (read_features, gather_rows, merge_rows)
    for name in sorted([*names, *(each.__module__ for each in used), __name__]):
        told.update(getsource(import_module(name)).encode())
    return told.hexdigest()


def _tell_kind_only(batches: Iterator[pa.RecordBatch]) -> Batches:
    """Yield what is computed; of an exception only its kind is told."""
    try:
        yield from batches
    except Exception as trouble:
        raise FailedError(f"an executor failed: {type(trouble).__name__}") from None
