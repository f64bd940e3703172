"""Multiplicative weights on a GPU: tables of up to 2^30 cells, one pass over memory for an update or a marginal.

A pass is bound by memory, so each number is read once and written once. An update multiplies every weight by factors
that are looked up in small tables (a marginal, a range) or have the sign of a parity, and adds up the new weights on
the way; dividing by that total is left to the next pass, which multiplies anyway. Weights are floats of 32 bits around
1, not around 1 / cells: an update rounds each by at most 3e-7 of itself, and one below 1e-38 of the mean becomes 0. All
sums are made in 64 bits.

CuPy is loaded when a table is first made on a GPU; `HostDevice` does the same in numpy, for tests.
"""

from __future__ import annotations

import importlib
import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray

from discreet.base.errors import ParameterError
from discreet.families.domain import ColumnSet, Domain
from discreet.synthetic.fit import gpu_kernels

MOST_CELLS = 1 << 30
"""Cells of a table: four gigabytes of weights."""

MOST_SPREAD = 80.0
"""How far the exponents of one update may lie apart, all groups together: e^-80 is still a float of 32 bits."""

MOST_JOINED = 1 << 22
"""Cells of a table from which the tables of several column sets are made, in place of a pass for each."""

Cube = tuple[int, int, int]
"""A table as (cells before, cells that are added up, cells behind)."""


@dataclass(frozen=True, slots=True, eq=False)
class CellFactor:
    """What an update multiplies weights by: numbers for the cells of some columns, or for even and odd parity."""

    columns: ColumnSet
    numbers: NDArray[np.float32]
    parity: bool = False


class Device(Protocol):
    """Where a table lies, and the two passes over it."""

    def hold(self, weights: NDArray[np.float32]) -> Any:
        """Return the weights there, in one dimension."""

    def fill(self, cells: int) -> Any:
        """Return so many weights of 1 there."""

    def multiply(self, domain: Domain, table: Any, total: Any, factors: Sequence[CellFactor]) -> Any:
        """Multiply weights by cells / total and by all factors, in place, and return their new total."""

    def collapse(self, table: Any, cube: Cube) -> Any:
        """Return a table with the middle of three axes added up, in floats of 64 bits."""

    def fetch(self, numbers: Any) -> NDArray[np.float64]:
        """Return numbers as an array of numpy's."""


class DenseWeights:
    """A distribution on all cells of a domain, changed by multiplying its weights. It starts uniform, or at a prior."""

    def __init__(self, domain: Domain, prior: ArrayLike | None = None, device: Device | None = None) -> None:
        if domain.cells > MOST_CELLS:
            raise ParameterError("domain", domain.sizes, f"at most {MOST_CELLS:,} cells, not {domain.cells:,}")
        self.domain = domain
        self._device = CudaDevice() if device is None else device
        if prior is None:
            self._table = self._device.fill(domain.cells)
            self._total: Any = float(domain.cells)
            return
        weights = np.asarray(prior, dtype=np.float64)
        if weights.shape != domain.sizes or not np.isfinite(weights).all() or (weights < 0).any() or not weights.any():
            raise ParameterError("prior", weights.shape, f"weights >= 0 of shape {domain.sizes}, not all 0")
        scaled = (weights * (domain.cells / weights.sum())).astype(np.float32).ravel()
        self._table, self._total = self._device.hold(scaled), float(scaled.sum(dtype=np.float64))

    def update(self, groups: Iterable[tuple[ColumnSet, ArrayLike]]) -> None:
        """Multiply each weight by exp of the sum of what the tables of some columns hold for its cell; normalise.

        A table has the shape of its columns, in their order: what `Family.spread_back` returns for a marginal, a range
        or a conjunction, times a step. All groups are taken in one pass.
        """
        factors, spread = [], 0.0
        for columns, exponents in groups:
            numbers = np.asarray(exponents, dtype=np.float64)
            shape = self.domain.find_shape(columns)
            if numbers.shape != shape or not np.isfinite(numbers).all():
                raise ParameterError("exponents", numbers.shape, f"finite numbers of shape {shape}")
            spread += float(numbers.max() - numbers.min())
            factors.append(CellFactor(columns, np.exp(numbers - numbers.max()).astype(np.float32).ravel()))
        self._multiply(factors, spread)

    def update_parity(self, columns: ColumnSet, exponent: float) -> None:
        """Multiply weights by exp(exponent) where an even number of these columns are 1, else by exp(-exponent)."""
        if set(self.domain.sizes) != {2}:
            raise ParameterError("domain", self.domain.sizes, "2 values in every column: parities are of bits")
        numbers = np.array([exponent, -exponent], dtype=np.float64)
        if not np.isfinite(numbers).all():
            raise ParameterError("exponent", exponent, "a finite number")
        factor = np.exp(numbers - numbers.max()).astype(np.float32)
        self._multiply([CellFactor(self.domain.check_columns(columns), factor, parity=True)], 2 * abs(float(exponent)))

    def sums(self, sets: Iterable[ColumnSet]) -> dict[ColumnSet, NDArray[np.float64]]:
        """Return the shares of each column set's cells: small sets are made from tables that several of them share."""
        wanted = [self.domain.check_columns(columns) for columns in dict.fromkeys(sets)]
        total = self._fetch_total()
        found = {}
        for union, members in join_sets(self.domain, wanted):
            table = self._project(self._table[: self.domain.cells], self.domain.sizes, union)
            for columns in members:
                places = tuple(union.index(column) for column in columns)
                part = self._project(table, self.domain.find_shape(union), places)
                found[columns] = self._device.fetch(part).reshape(self.domain.find_shape(columns)) / total
        return {columns: found[columns] for columns in wanted}

    def fetch(self) -> NDArray[np.float64]:
        """Return the shares of all cells: eight bytes each."""
        return self._device.fetch(self._table)[: self.domain.cells].reshape(self.domain.sizes) / self._fetch_total()

    def _multiply(self, factors: Sequence[CellFactor], spread: float) -> None:
        if spread > MOST_SPREAD:
            raise ParameterError(
                "exponents", spread, f"at most {MOST_SPREAD:g} apart in one update: take smaller steps"
            )
        self._total = self._device.multiply(self.domain, self._table, self._total, factors)

    def _project(self, table: Any, sizes: tuple[int, ...], columns: ColumnSet) -> Any:
        for cube in plan_cubes(sizes, columns):
            table = self._device.collapse(table, cube)
        return table

    def _fetch_total(self) -> float:
        return float(self._device.fetch(self._total))


def plan_cubes(sizes: tuple[int, ...], columns: ColumnSet) -> list[Cube]:
    """Return the steps that add up all but these columns: neighbours together, the most cells first.

    >>> plan_cubes((2, 3, 5, 7, 2), (1, 4))
    [(6, 35, 2), (1, 2, 6)]
    """
    runs: list[tuple[int, bool]] = []
    for place, size in enumerate(sizes):
        kept = place in columns
        if runs and runs[-1][1] == kept:
            runs[-1] = (runs[-1][0] * size, kept)
        else:
            runs.append((size, kept))
    cubes = []
    while dropped := [size for size, kept in runs if not kept]:
        place = runs.index((max(dropped), False))
        before, behind = (math.prod(size for size, _ in part) for part in (runs[:place], runs[place + 1 :]))
        cubes.append((before, runs.pop(place)[0], behind))
    return [cube for cube in cubes if cube[1] > 1]


def join_sets(domain: Domain, sets: Sequence[ColumnSet]) -> list[tuple[ColumnSet, list[ColumnSet]]]:
    """Return column sets in parts, each with a union that has few cells: one pass over the whole table for each part.

    A set joins the first part whose union stays small; one that is large by itself is a part of its own.
    """
    parts: list[tuple[set[int], list[ColumnSet]]] = []
    for columns in sets:
        for union, members in parts:
            if math.prod(domain.sizes[place] for place in union | set(columns)) <= MOST_JOINED:
                union |= set(columns)
                members.append(columns)
                break
        else:
            parts.append((set(columns), [columns]))
    return [(tuple(sorted(union)), members) for union, members in parts]


class HostDevice:
    """Tables in numpy: slow, and the same numbers."""

    def hold(self, weights: NDArray[np.float32]) -> Any:
        """Return the weights."""
        return weights

    def fill(self, cells: int) -> Any:
        """Return weights of 1."""
        return np.ones(cells, dtype=np.float32)

    def multiply(self, domain: Domain, table: Any, total: Any, factors: Sequence[CellFactor]) -> Any:
        """Multiply weights in place, and return their new total."""
        cube = table.reshape(domain.sizes)
        cube *= np.float32(domain.cells / total)
        for factor in factors:
            if factor.parity:
                odd = np.zeros((1,) * len(domain.sizes), dtype=np.int64)
                for place in factor.columns:
                    odd = odd ^ np.arange(2).reshape([2 if axis == place else 1 for axis in domain.columns])
                cube *= factor.numbers[odd]
            else:
                shape = [size if place in factor.columns else 1 for place, size in enumerate(domain.sizes)]
                cube *= factor.numbers.reshape(shape)
        return table.sum(dtype=np.float64)

    def collapse(self, table: Any, cube: Cube) -> Any:
        """Return a table with the middle of three axes added up."""
        return table.reshape(cube).sum(axis=1, dtype=np.float64).ravel()

    def fetch(self, numbers: Any) -> NDArray[np.float64]:
        """Return the numbers."""
        return np.asarray(numbers, dtype=np.float64)


class CudaDevice:
    """Tables on an NVIDIA GPU, by CuPy and two kernels (`gpu_kernels`)."""

    def __init__(self) -> None:
        try:
            self._cupy: Any = importlib.import_module("cupy")
            if self._cupy.cuda.runtime.getDeviceCount() < 1:
                raise RuntimeError("no device")
        except Exception as trouble:  # CuPy has errors of its own where there is a driver and no device
            raise ParameterError(
                "device", type(trouble).__name__, "CuPy and an NVIDIA GPU; without one use fit_dense, up to 2^26 cells"
            ) from trouble
        self._kernels: dict[str, Any] = {}

    def hold(self, weights: NDArray[np.float32]) -> Any:
        """Return the weights on the GPU, with zeros behind the last up to a multiple of 4."""
        padded = self._cupy.zeros(-(-weights.size // 4) * 4, dtype=np.float32)
        padded[: weights.size] = self._cupy.asarray(weights)
        return padded

    def fill(self, cells: int) -> Any:
        """Return weights of 1, with zeros behind the last up to a multiple of 4."""
        padded = self._cupy.ones(-(-cells // 4) * 4, dtype=np.float32)
        padded[cells:] = 0
        return padded

    def multiply(self, domain: Domain, table: Any, total: Any, factors: Sequence[CellFactor]) -> Any:
        """Multiply weights in place, and return their new total: one kernel, and the sum of its blocks' sums."""
        source = gpu_kernels.write_update(domain, [(each.columns, each.parity) for each in factors])
        blocks = -(-table.size // gpu_kernels.TILE)
        sums = self._cupy.empty(blocks, dtype=np.float64)
        scale = self._cupy.asarray(total, dtype=np.float64).reshape(1)
        numbers = [self._cupy.asarray(each.numbers) for each in factors]
        self._compile(source, "update")((blocks,), (gpu_kernels.THREADS,), (table, scale, sums, *numbers))
        return sums.sum()

    def collapse(self, table: Any, cube: Cube) -> Any:
        """Return a table with the middle of three axes added up."""
        first, rest = gpu_kernels.split_cube(cube, table.dtype.itemsize)
        shape = gpu_kernels.plan_collapse(first, table.dtype.itemsize)
        found = self._cupy.empty(shape.parts * first[0] * first[2], dtype=np.float64)
        kernel = self._compile(gpu_kernels.write_collapse(first, shape, table.dtype.name), "collapse")
        kernel((shape.blocks, shape.parts), (shape.threads,), (table, found))
        if shape.parts > 1:
            found = self.collapse(found, (1, shape.parts, first[0] * first[2]))
        return found if rest is None else self.collapse(found, rest)

    def fetch(self, numbers: Any) -> NDArray[np.float64]:
        """Return numbers as an array of numpy's; this waits for the GPU."""
        return np.asarray(self._cupy.asnumpy(self._cupy.asarray(numbers)), dtype=np.float64)

    def _compile(self, source: str, name: str) -> Any:
        if source not in self._kernels:
            self._kernels[source] = self._cupy.RawKernel(source, name)
        return self._kernels[source]
