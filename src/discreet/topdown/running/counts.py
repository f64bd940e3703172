"""Whole numbers of people by area and cell, of which only those above 0 are held."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

from discreet.answers.export import replacing
from discreet.base.wide import Ints
from discreet.topdown.spec.queries import Query

FORM = 1
"""The form of the files: raised when it changes."""


@dataclass(frozen=True, eq=False)
class SparseCounts:
    """Counts of areas that follow one another: those of area i are at `starts[i]` to `starts[i + 1]`.

    Most of the cells of a small area are empty: a block of 50 people has at most 50 of 2,016.
    """

    starts: Ints
    cells: NDArray[np.int32]
    counts: Ints
    width: int
    """How many cells there are."""

    def __len__(self) -> int:
        return len(self.starts) - 1

    def __getitem__(self, areas: slice) -> SparseCounts:
        """Return some areas that follow one another."""
        first, last, _ = areas.indices(len(self))
        inside = slice(int(self.starts[first]), int(self.starts[max(first, last)]))
        starts = self.starts[first : max(first, last) + 1] - self.starts[first]
        return SparseCounts(starts, self.cells[inside], self.counts[inside], self.width)

    @property
    def owners(self) -> Ints:
        """The area of each number that is held."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @property
    def people(self) -> Ints:
        """How many people each area has."""
        found = np.zeros(len(self) + 1, dtype=np.int64)
        found[1:] = np.cumsum(np.bincount(self.owners, weights=self.counts, minlength=len(self)))
        return np.diff(found)

    def to_dense(self) -> Ints:
        """Return all cells, empty ones included: a row for each area."""
        found = np.zeros((len(self), self.width), dtype=np.int64)
        found[self.owners, self.cells] = self.counts
        return found

    def to_csr(self) -> sparse.csr_array:
        """Return the same as scipy has it."""
        return sparse.csr_array((self.counts, self.cells, self.starts), shape=(len(self), self.width))

    def answer(self, query: Query) -> Ints:
        """Return the answers of a query: a row for each area."""
        places = self.owners * query.size + query.places[self.cells]
        found = np.bincount(places, weights=self.counts, minlength=len(self) * query.size)
        return found.astype(np.int64).reshape(len(self), query.size)

    def add_up(self, owners: Ints, areas: int) -> SparseCounts:
        """Return the sums of areas that belong together: `owners` has a place for each, -1 where it belongs nowhere."""
        kept = owners[self.owners] >= 0
        keys = owners[self.owners[kept]] * self.width + self.cells[kept]
        different, inverse = np.unique(keys, return_inverse=True)
        sums = np.bincount(inverse.reshape(-1), weights=self.counts[kept], minlength=len(different)).astype(np.int64)
        starts = np.searchsorted(different, np.arange(areas + 1) * self.width)
        return SparseCounts(starts, (different % self.width).astype(np.int32), sums, self.width)

    def save(self, path: Path, **beside: Any) -> None:
        """Write it, and what stands beside it, into a file that is there whole or not at all."""
        with replacing(path) as part, part.open("wb") as file:
            np.savez(
                file, form=FORM, width=self.width, starts=self.starts, cells=self.cells, counts=self.counts, **beside
            )

    @classmethod
    def of_dense(cls, dense: Ints) -> SparseCounts:
        """Return the numbers above 0 of a row for each area."""
        owners, cells = np.nonzero(dense)
        starts = np.searchsorted(owners, np.arange(len(dense) + 1)).astype(np.int64)
        return cls(starts, cells.astype(np.int32), dense[owners, cells].astype(np.int64), dense.shape[1])

    @classmethod
    def of_arrays(cls, arrays: dict[str, NDArray[np.generic]]) -> SparseCounts:
        """Return what `save` wrote, from the arrays of its file."""
        return cls(
            arrays["starts"].astype(np.int64),
            arrays["cells"].astype(np.int32),
            arrays["counts"].astype(np.int64),
            int(arrays["width"]),
        )


def join_counts(parts: Sequence[SparseCounts]) -> SparseCounts:
    """Return the areas of all parts, one after the other."""
    sizes = np.concatenate([np.diff(each.starts) for each in parts])
    starts = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
    return SparseCounts(
        starts,
        np.concatenate([each.cells for each in parts]),
        np.concatenate([each.counts for each in parts]),
        parts[0].width,
    )
