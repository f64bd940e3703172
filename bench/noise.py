"""Exact integer noise beside OpenDP's, in one run: throughput, growth and memory.

Run by `make bench`; alone: `.venv-peers/bin/python bench/noise.py`.
"""

from __future__ import annotations

import math
import tracemalloc
from collections.abc import Callable
from typing import Any

import numpy as np
import opendp.prelude as dp

from discreet import noise
from timing import alternate, markdown

SCALES = (1.0, 1e3, 1e6)
SIZES = (10_000, 100_000, 1_000_000)
ASKED = {"discrete_laplace": 50, "rounded_gaussian": 50, "discrete_gaussian": 20}
PEER = {
    "discrete_laplace": "make_laplace",
    "rounded_gaussian": "make_gaussian",
    "discrete_gaussian": "make_gaussian",
}


def peer(name: str, scale: float, size: int) -> Callable[[], Any]:
    """Return OpenDP's exact noise on a vector of `size` integers."""
    dp.enable_features("contrib")
    metric = dp.l1_distance(T=int) if name == "make_laplace" else dp.l2_distance(T=float)
    measurement = getattr(dp.m, name)(dp.vector_domain(dp.atom_domain(T=int)), metric, scale=scale)
    zeros = [0] * size
    return lambda: measurement(zeros)


def ours(name: str, scale: float, size: int) -> Callable[[], Any]:
    """Return our draw of the same noise."""
    draw = getattr(noise, name)
    return lambda: draw(scale, size)


def spread(name: str, scale: float) -> float:
    """Return the standard deviation that the noise must have."""
    if "laplace" in name:
        q = math.exp(-1 / scale)
        return math.sqrt(2 * q) / (1 - q)
    return math.sqrt(scale**2 + 1 / 12) if name == "rounded_gaussian" else scale


def check(name: str, scale: float, sample: Any) -> None:
    """Refuse to time a noise whose spread is not the stated one."""
    seen, wanted = float(np.std(np.asarray(sample, dtype=np.float64))), spread(name, scale)
    if abs(seen / wanted - 1) > 10 / math.sqrt(len(sample)):
        raise SystemExit(f"{name} at {scale:g}: standard deviation {seen:g}, expected {wanted:g}")


def throughput() -> str:
    """Compare draws per second at every scale and size."""
    rows = []
    for scale in SCALES:
        for size in SIZES:
            contestants = {name: ours(name, scale, size) for name in ASKED}
            contestants |= {name: peer(name, scale, size) for name in sorted(set(PEER.values()))}
            for name in contestants:
                check(name, scale, contestants[name]())
            seconds = alternate(contestants)
            for name, asked in ASKED.items():
                ratio = seconds[PEER[name]] / seconds[name]
                met = "" if size < max(SIZES) else f"{asked} x: {'met' if ratio >= asked else 'MISSED'}"
                rows.append(
                    [
                        f"`{name}`",
                        f"{scale:g}",
                        f"{size:,}",
                        f"{size / seconds[name] / 1e6:.1f} M/s",
                        f"{size / seconds[PEER[name]] / 1e3:.0f} k/s",
                        f"**{ratio:.0f} x**",
                        met,
                    ]
                )
    return markdown(["noise", "scale", "draws", "discreet", "opendp", "ratio", "asked"], rows)


def large_scales() -> str:
    """Show how the share of the slow path grows with the scale."""
    rows = []
    for scale in (1e6, 1e9, 1e12, 1e15):
        size = 100_000 if scale < 1e15 else 10_000
        seconds = alternate({name: ours(name, scale, size) for name in ASKED}, rounds=3)
        rows.append([f"{scale:g}", *(f"{size / seconds[name] / 1e6:.3g} M/s" for name in ASKED)])
    return markdown(["scale", *(f"`{name}`" for name in ASKED)], rows)


def memory() -> str:
    """Show that memory is linear in size: peak bytes per draw, the 8 of the answer included."""
    rows = []
    for name in ASKED:
        cells = [f"`{name}`"]
        for size in (100_000, 1_000_000, 4_000_000):
            tracemalloc.start()
            ours(name, 1e3, size)()
            cells.append(f"{tracemalloc.get_traced_memory()[1] / size:.1f}")
            tracemalloc.stop()
        rows.append(cells)
    return markdown(["peak bytes per draw", "1e5 draws", "1e6 draws", "4e6 draws"], rows)


def report() -> str:
    """Return this file's part of the results."""
    return (
        "## Exact integer noise\n\n"
        "`opendp`: `make_laplace` and `make_gaussian` on a vector of zeros (`atom_domain(T=int)`); `discreet`:\n"
        "`discreet.noise.<name>(scale, draws)`. One thread each, randomness included, medians of 5 alternating\n"
        "rounds; each sample's standard deviation is checked before it is timed.\n\n"
        f"{throughput()}\n\nLarger scales take more of the ball-arithmetic path:\n\n{large_scales()}\n\n"
        f"Memory:\n\n{memory()}\n"
    )


if __name__ == "__main__":
    print(report())
