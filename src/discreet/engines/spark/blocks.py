"""Rows as blocks of bytes, a few megabytes each: Spark keeps them between steps, and looks at no row by itself.

A block holds whole units. Numbers are kept in narrow types that hold them exactly; one that did not fit would be a
failure, and never another number.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from discreet.base.errors import FailedError
from discreet.engines.result import ExactRows, Points, split_units
from discreet.gradients.encoding import EncodedRows, Encoding, PlaceFeature
from discreet.plan.rows_plan import RowsPlan

Batches = Iterator[pa.RecordBatch]

AT_ONCE = 1 << 19
"""Numbers in a block: rows times columns, or the rows of one unit."""

POINTS = pa.schema([("many", pa.int64()), ("offsets", pa.binary()), ("points", pa.binary())])
"""Rows as grid points: how many there are, where units begin, and the points, line by line."""

FEATURES = pa.schema([(name, pa.binary()) for name in ("offsets", "numbers", "places", "lengths", "labels")])
"""Rows as features: where units begin, and the arrays of `EncodedRows`."""


def split_rows(exact: ExactRows) -> Iterator[ExactRows]:
    """Yield rows in blocks of whole units: one at least, which is empty where there is no row."""
    most = max(1, AT_ONCE // exact.points.shape[1])
    for first, last in list(split_units(exact.offsets, most)) or [(0, 0)]:
        offsets = exact.offsets[first : last + 1]
        yield ExactRows(exact.points[offsets[0] : offsets[-1]], offsets - offsets[0])


def join_rows(blocks: Iterable[ExactRows], columns: int) -> ExactRows:
    """Return the rows of all blocks."""
    points, offsets, many = [np.empty((0, columns), dtype=np.int64)], [np.zeros(1, dtype=np.int64)], 0
    for block in blocks:
        points.append(block.points)
        offsets.append(block.offsets[1:] + many)
        many += len(block.points)
    return ExactRows(np.concatenate(points), np.concatenate(offsets))


def find_type(plan: RowsPlan) -> type[np.signedinteger[Any]]:
    """Return the narrowest type that holds all points between the public ends of a plan's grids."""
    least, most = min(each.grid.lower for each in plan.columns), max(each.grid.upper for each in plan.columns)
    for kind in (np.int16, np.int32):
        if np.iinfo(kind).min <= least and most <= np.iinfo(kind).max:
            return kind
    return np.int64


def write_points(plan: RowsPlan, rows: ExactRows) -> pa.RecordBatch:
    """Return rows as a block of points."""
    arrays = pack(rows.offsets, np.int64), pack(rows.points, find_type(plan))
    return pa.record_batch([[len(rows.points)], *([each] for each in arrays)], schema=POINTS)


def read_points(plan: RowsPlan, batches: Iterable[pa.RecordBatch]) -> Iterator[ExactRows]:
    """Yield the rows of each block of points."""
    for batch in batches:
        for offsets, points in zip(batch.column("offsets"), batch.column("points"), strict=True):
            found = unpack(points, find_type(plan)).astype(np.int64)
            yield ExactRows(found.reshape(-1, len(plan.columns)), unpack(offsets, np.int64))


def write_features(rows: EncodedRows, offsets: Points) -> pa.RecordBatch:
    """Return rows as a block of features: numbers are at most 2^12, places and labels 2^20, lengths below 2^31."""
    narrow = [pack(each, np.int32) for each in (rows.places, rows.lengths, rows.labels)]
    arrays = [pack(offsets, np.int64), pack(rows.numbers, np.int16), *narrow]
    return pa.record_batch([[each] for each in arrays], schema=FEATURES)


def read_features(encoding: Encoding, batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[EncodedRows, Points]]:
    """Yield the features of each block, and where its units begin."""
    placed = sum(isinstance(each, PlaceFeature) for each in encoding.features)
    for batch in batches:
        for offsets, numbers, places, lengths, labels in zip(*batch.columns, strict=True):
            long = unpack(lengths, np.int32).astype(np.int64)
            found = EncodedRows(
                encoding,
                unpack(numbers, np.int16).astype(np.float64).reshape(len(long), len(encoding.features) - placed),
                unpack(places, np.int32).reshape(placed, len(long)),
                long,
                unpack(labels, np.int32).astype(np.int64),
            )
            yield found, unpack(offsets, np.int64)


def pack(array: NDArray[Any], kind: type[np.signedinteger[Any]]) -> bytes:
    """Return whole numbers as bytes of a type that must hold them."""
    with np.errstate(invalid="ignore"):
        narrow = array.astype(kind)
    if not np.array_equal(narrow, array):
        raise FailedError("a number does not fit the type that it is kept in")
    return np.ascontiguousarray(narrow).tobytes()


def unpack(packed: pa.BinaryScalar, kind: type[np.signedinteger[Any]]) -> NDArray[Any]:
    """Return the whole numbers in bytes."""
    return np.frombuffer(packed.as_buffer(), dtype=kind)
