"""The local model beside pure-ldp and multi-freq-ldpy, in one run: encoding, counting, decoding.

    python -m venv .venv-local && .venv-local/bin/pip install -r bench/local.txt -e .
    .venv-local/bin/python bench/local.py

Peers are timed on fewer people, since they take a while for each, and what they take is scaled up. Ratios count.
"""

from __future__ import annotations

import importlib
import statistics
import time
from collections.abc import Callable
from typing import Any

import numpy as np

from discreet.local.client import HadamardBit, LocalHashing, ProjectiveResponse, UnaryEncoding
from discreet.local.oracles.find import find_oracle
from timing import markdown

SIZE, EPSILON, PEOPLE, PEER_PEOPLE, ROUNDS = 1024, 1.0, 1_000_000, 2000, 3
POOL = 1000


def measure(ours: Callable[[], Any], peer: Callable[[], Any], peer_people: int) -> tuple[float, float]:
    """Return seconds for a million people, ours and a peer's, in turn."""
    taken: tuple[list[float], list[float]] = ([], [])
    for _ in range(ROUNDS):
        for run, seconds, scale in ((ours, taken[0], 1.0), (peer, taken[1], PEOPLE / peer_people)):
            start = time.perf_counter()
            run()
            seconds.append((time.perf_counter() - start) * scale)
    return statistics.median(taken[0]), statistics.median(taken[1])


def describe(name: str, ours: float, peer: float, goal: str) -> list[str]:
    return [name, f"{ours:.2f}", f"{peer:.1f}", f"{peer / ours:.0f}", goal]


def main() -> None:
    """Print a table."""
    peers = importlib.import_module("pure_ldp.frequency_oracles")
    other = importlib.import_module("multi_freq_ldpy.pure_frequency_oracles.UE")
    items = np.random.default_rng(1).zipf(1.3, PEOPLE) % SIZE
    few = items[:PEER_PEOPLE].tolist()
    rows = []

    unary = find_oracle(UnaryEncoding.calibrate(EPSILON, SIZE))
    client = peers.UEClient(EPSILON, SIZE, use_oue=True)
    found = measure(lambda: unary.encode(items), lambda: [client.privatise(each + 1) for each in few], PEER_PEOPLE)
    rows.append(describe("encode, optimised unary; pure-ldp", *found, "50"))
    found = measure(
        lambda: unary.encode(items), lambda: [other.UE_Client(each, SIZE, EPSILON, True) for each in few], PEER_PEOPLE
    )
    rows.append(describe("encode, optimised unary; multi-freq-ldpy", *found, "-"))
    batch = unary.encode(items)
    server, told = peers.UEServer(EPSILON, SIZE, use_oue=True), [client.privatise(each + 1) for each in few]
    found = measure(
        lambda: unary.find_supports(unary.count(batch).counts),  # type: ignore[attr-defined]
        lambda: [server.aggregate(each) for each in told],
        PEER_PEOPLE,
    )
    rows.append(describe("count and decode, optimised unary; pure-ldp", *found, "ours under 2 s"))

    hashing = find_oracle(LocalHashing.calibrate(EPSILON, SIZE, pool=POOL))
    client = peers.LHClient(EPSILON, SIZE, use_olh=True)
    found = measure(lambda: hashing.encode(items), lambda: [client.privatise(each + 1) for each in few], PEER_PEOPLE)
    rows.append(describe("encode, local hashing; pure-ldp", *found, "-"))
    batch = hashing.encode(items)
    server, told = peers.LHServer(EPSILON, SIZE, use_olh=True), [client.privatise(each + 1) for each in few[:200]]
    found = measure(
        lambda: hashing.find_supports(hashing.count(batch).counts),  # type: ignore[attr-defined]
        lambda: [server.aggregate(each) for each in told],
        len(told),
    )
    rows.append(describe("count and decode, fast local hashing; pure-ldp's local hashing", *found, "100"))
    for kind in (HadamardBit, ProjectiveResponse):
        oracle = find_oracle(kind.calibrate(EPSILON, SIZE))
        start = time.perf_counter()
        batch = oracle.encode(items)
        middle = time.perf_counter()
        oracle.find_supports(oracle.count(batch).counts)  # type: ignore[attr-defined]
        last = time.perf_counter()
        rows.append(
            [f"{kind.kind}: encode; count and decode", f"{middle - start:.2f}; {last - middle:.2f}", "-", "-", "-"]
        )
    print(f"a million people, {SIZE} items, epsilon {EPSILON:g}\n")
    print(markdown(["what", "ours, s", "peer, s", "ratio", "asked"], rows))


if __name__ == "__main__":
    main()
