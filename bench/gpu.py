"""Multiplicative weights on a GPU: 2^30 cells, as a share of the copy bandwidth measured in the same run.

`python bench/gpu.py` needs numpy, CuPy and an NVIDIA GPU with 24 GB free, and nothing else of what discreet needs.
First the passes are checked against numpy on small tables and on 2^24 cells; then each is timed (median of several,
by the GPU's own clock, host work between kernels included), and compared with what it should do at 2^30 cells.

Shares: an update reads and writes four bytes a cell, a sum reads four; the copy reads and writes four. A pass that
moves more than that counts as slower.
"""

from __future__ import annotations

import statistics
import sys
import time
from collections.abc import Callable, Sequence
from functools import partial
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "src"))

from discreet.families.domain import ColumnSet, Domain
from discreet.synthetic.fit.gpu import CudaDevice, DenseWeights

ASKED = 0.60
ROUNDS = 15
SMALL = (((2,) * 12), (3, 5, 7, 4), (5, 1, 9, 2, 3), (7, 300), (300, 7), (2, 3000), (3001, 2), (64, 32, 2), (1,))
LARGE: dict[str, tuple[int, ...]] = {
    "30 bits": (2,) * 30,
    "nine columns of 10": (10,) * 9,
    "1024 x 1024 x 1024": (1024,) * 3,
}


def spread(domain: Domain, columns: ColumnSet, numbers: NDArray[Any]) -> NDArray[Any]:
    """Return a table of some columns in the shape that numpy spreads over all cells."""
    return numbers.reshape([size if place in columns else 1 for place, size in enumerate(domain.sizes)])


def list_signs(domain: Domain, columns: ColumnSet) -> NDArray[Any]:
    """Return 1 and -1 by the parity of some columns."""
    signs: NDArray[Any] = np.ones((1,) * len(domain.sizes))
    for place in columns:
        signs = signs * spread(domain, (place,), np.array([1.0, -1.0]))
    return signs


def check(sizes: tuple[int, ...], seed: int) -> float:
    """Return the largest error of weights and sums after some updates, relative to numpy in 64 bits."""
    generator, domain = np.random.default_rng(seed), Domain(sizes)
    ours = DenseWeights(domain, device=CudaDevice())
    shares = np.full(sizes, 1 / domain.cells)
    last = len(sizes) - 1
    every = [chosen for width in range(min(len(sizes), 3) + 1) for chosen in combinations(domain.columns, width)]
    sets = [every[place] for place in generator.permutation(len(every))[:8]]
    for columns in sets[:4]:
        exponents, ends = generator.normal(size=domain.find_shape(columns)), generator.normal(size=sizes[-1])
        ours.update([(columns, exponents), ((last,), ends)])
        shares = shares * np.exp(spread(domain, columns, exponents)) * np.exp(ends)
        if set(sizes) == {2}:
            mask = tuple(sorted(generator.permutation(len(sizes))[:5].tolist()))
            ours.update_parity(mask, 0.4)
            shares = shares * np.exp(0.4 * list_signs(domain, mask))
        shares /= shares.sum()
    worst = float(np.abs(ours.fetch() / shares - 1).max())
    for columns, table in ours.sums([*sets, domain.columns]).items():
        wanted = shares.sum(axis=tuple(place for place in domain.columns if place not in columns))
        worst = max(worst, float(np.abs(table / wanted - 1).max()))
    return worst


def find_seconds(cupy: Any, work: Callable[[], Any], rounds: int = ROUNDS) -> float:
    """Return the median seconds of some work, between two events on the GPU."""
    work()
    seconds = []
    for _ in range(rounds):
        start, end = cupy.cuda.Event(), cupy.cuda.Event()
        start.record()
        work()
        end.record()
        end.synchronize()
        seconds.append(cupy.cuda.get_elapsed_time(start, end) / 1000)
    return float(statistics.median(seconds))


def measure_copy(cupy: Any, cells: int) -> float:
    """Return bytes a second, read and written, of the faster of CuPy's two ways to copy so many floats."""
    source, target = cupy.ones(cells, dtype=np.float32), cupy.empty(cells, dtype=np.float32)

    def move() -> None:
        target.data.copy_from_device_async(source.data, source.nbytes, cupy.cuda.Stream.null)

    ways = {"memcpy": move, "elementwise": lambda: cupy.copyto(target, source)}
    found = {name: 2 * source.nbytes / find_seconds(cupy, way) for name, way in ways.items()}
    print(
        "copy of 2^30 floats of 32 bits: " + ", ".join(f"{name} {rate / 1e9:.0f} GB/s" for name, rate in found.items())
    )
    return float(max(found.values()))


def list_cases(sizes: tuple[int, ...]) -> list[ColumnSet]:
    """Return column sets at the front, at the back, in the middle and spread over a domain."""
    count = len(sizes)
    if count == 3:
        return [(0,), (1,), (2,)]
    return [(0, 1, 2), (count - 3, count - 2, count - 1), (0, count // 2, count - 1), (1, count // 3, 2 * count // 3)]


def measure(cupy: Any, name: str, sizes: tuple[int, ...], copy: float) -> list[float]:
    """Time updates and sums of one domain, check them at that size, and return the shares."""
    domain, generator, shares = Domain(sizes), np.random.default_rng(7), []
    weights = DenseWeights(domain)

    def report(what: str, columns: Sequence[int], seconds: float, moved: int) -> None:
        rate = moved / seconds
        shares.append(rate / copy)
        print(f"| {name} | {what} | {list(columns)} | {seconds * 1e3:.2f} | {rate / 1e9:.0f} | {rate / copy:.0%} |")

    for columns in list_cases(sizes):
        fresh = DenseWeights(domain)
        exponents = generator.normal(size=domain.find_shape(columns))
        fresh.update([(columns, exponents)])
        wanted = np.exp(exponents) / np.exp(exponents).sum()
        error = float(np.abs(fresh.sums([columns])[columns] / wanted - 1).max())
        if not error < 1e-5:
            raise SystemExit(f"{name}, {columns}: the sums after an update are wrong by {error:.1e}")
        del fresh
        step = generator.normal(size=domain.find_shape(columns)) / 10
        report("update", columns, find_seconds(cupy, partial(weights.update, [(columns, step)])), 8 * domain.cells)
        report("sums", columns, find_seconds(cupy, partial(weights.sums, [columns])), 4 * domain.cells)
    if len(sizes) == 3:
        line = np.zeros(sizes[1])
        line[100:700] = 0.1
        report("update, a range", (1,), find_seconds(cupy, lambda: weights.update([((1,), line)])), 8 * domain.cells)
    if set(sizes) == {2}:
        mask = (0, 3, 7, 12, 20, 28, 29)
        seconds = find_seconds(cupy, lambda: weights.update_parity(mask, 0.1))
        report("update, a parity", mask, seconds, 8 * domain.cells)
    pairs = list(combinations(domain.columns, 2))
    seconds = find_seconds(cupy, lambda: weights.sums(pairs), 3)
    passes = seconds * copy / (4 * domain.cells)
    print(f"| {name} | all {len(pairs)} sums of two | | {seconds * 1e3:.2f} | | {passes:.1f} reads at its speed |")
    total = float(weights.sums([()])[()])
    if not abs(total - 1) < 1e-6:
        raise SystemExit(f"{name}: the shares add up to {total}")
    return shares


def main() -> None:
    start = time.perf_counter()
    try:
        CudaDevice()
    except Exception as trouble:
        raise SystemExit(f"no GPU: {trouble} ({trouble.__cause__!r})") from None
    import cupy

    properties = cupy.cuda.runtime.getDeviceProperties(0)
    free, total = cupy.cuda.runtime.memGetInfo()
    print(
        f"{properties['name'].decode()}, {free / 2**30:.0f} of {total / 2**30:.0f} GiB free, CuPy {cupy.__version__}, "
        f"CUDA {cupy.cuda.runtime.runtimeGetVersion()}, numpy {np.__version__}"
    )
    for seed, sizes in enumerate((*SMALL, (2,) * 24, (40, 50, 60, 70))):
        error = check(sizes, seed)
        print(f"against numpy, {sizes}: largest relative error {error:.1e}", flush=True)
        if not error < 1e-5:
            raise SystemExit("wrong: weights and sums must agree with numpy to 1e-5")
    copy = measure_copy(cupy, 1 << 30)
    cupy.get_default_memory_pool().free_all_blocks()
    print(f"asked: updates and sums at {ASKED:.0%} of {copy / 1e9:.0f} GB/s")
    print("| table | pass | columns | ms | GB/s | of the copy |\n|---|---|---|---|---|---|", flush=True)
    shares: list[float] = []
    for name, sizes in LARGE.items():
        shares += measure(cupy, name, sizes, copy)
        cupy.get_default_memory_pool().free_all_blocks()
        sys.stdout.flush()
    verdict = "as asked" if min(shares) >= ASKED else "LESS THAN ASKED"
    print(
        f"least share {min(shares):.0%}, median {statistics.median(shares):.0%}: {verdict}; "
        f"{time.perf_counter() - start:.0f} s in all"
    )


if __name__ == "__main__":
    main()
