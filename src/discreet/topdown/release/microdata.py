"""Microdata: one row for each person of a release, with the smallest area and every attribute.

The rows are made up: they are the released counts written out, and nobody's.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from discreet.answers.export import replacing
from discreet.base.later import Later
from discreet.topdown.running.counts import SparseCounts
from discreet.topdown.spec.schema import CensusSchema

parquet = Later("pyarrow.parquet")

FILE = "microdata.parquet"
PEOPLE_AT_ONCE = 2**20


def write_microdata(path: Path, area: str, areas: tuple[str, ...], schema: CensusSchema, counts: SparseCounts) -> int:
    """Write a row for each person, in the order of the areas, and return how many there are."""
    names = pa.array(list(areas))
    values = [pa.array(list(each.values)) for each in schema.attributes]
    columns = [area, *(each.name for each in schema.attributes)]
    written = 0
    with replacing(path) as part:
        empty = _make(columns, names, values, np.empty(0, dtype=np.int64), np.empty(0, dtype=np.int64), schema)
        with parquet.ParquetWriter(part, empty.schema, compression="zstd") as file:
            for first, last in _cut(counts):
                some = counts[first:last]
                owners, cells = (np.repeat(each, some.counts) for each in (some.owners + first, some.cells))
                file.write_table(_make(columns, names, values, owners, cells, schema))
                written += len(owners)
    return written


def _make(
    columns: list[str],
    names: pa.Array,
    values: list[pa.Array],
    owners: np.ndarray,
    cells: np.ndarray,
    schema: CensusSchema,
) -> pa.Table:
    places = np.unravel_index(cells, schema.shape)
    found = [pa.DictionaryArray.from_arrays(pa.array(owners.astype(np.int32)), names)]
    for place, known in zip(places, values, strict=True):
        found.append(pa.DictionaryArray.from_arrays(pa.array(place.astype(np.int16)), known))
    return pa.table(dict(zip(columns, found, strict=True)))


def _cut(counts: SparseCounts) -> list[tuple[int, int]]:
    """Return runs of areas with about so many people together."""
    people = np.cumsum(counts.people)
    found, start = [], 0
    while start < len(counts):
        before = people[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(people, before + PEOPLE_AT_ONCE)))
        found.append((start, min(stop, len(counts))))
        start = found[-1][1]
    return found
