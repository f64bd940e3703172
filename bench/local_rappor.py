"""RAPPOR's decoding, on the collected sample and on a long list of candidates.

    DISCREET_DATA=folder .venv/bin/python bench/local_rappor.py

The folder's `rappor/` holds counts of ten million reports in eight cohorts, 300 candidates, and the parameters. The
long list is the same 300 and decoys with random bits; its memory is that of a process of its own.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

from discreet.local.client.rappor import Rappor
from discreet.local.rappor.candidates import Candidates, hash_candidates, read_candidates
from discreet.local.rappor.decoding import DecodedCandidates, decode
from discreet.local.rappor.rates import read_counts, read_parameters
from timing import markdown

LONG = 100_000
WIDE = Rappor.take(128, 2, 8, 0.5, 0.75, 0)


def find_folder() -> Path:
    folder = Path(os.environ.get("DISCREET_DATA", "")) / "rappor"
    if not (folder / "counts.csv").is_file():
        raise SystemExit("set DISCREET_DATA to the folder that holds rappor/counts.csv, map.csv and params.csv")
    return folder


def lengthen(listed: Candidates) -> Candidates:
    """Return the candidates and decoys with random bits, so many that there are 100,000."""
    rappor, count = listed.rappor, LONG - len(listed)
    drawn = np.random.default_rng(1).integers(0, rappor.bits, (rappor.cohorts, rappor.hashes, count))
    for later in range(1, rappor.hashes):
        repeated = (drawn[:, :later] == drawn[:, later : later + 1]).any(axis=1)
        drawn[:, later][repeated] = rappor.bits
    places = np.concatenate([listed.places, drawn.reshape(-1, count).astype(np.uint16)], axis=1)
    return Candidates(rappor, (*listed.names, *(f"decoy {number}" for number in range(count))), places)


def describe(name: str, seconds: float, decoded: DecodedCandidates, listed: int) -> list[str]:
    bonferroni, fdr = decoded.find_significant(), decoded.find_significant(control="fdr")
    return [
        name,
        f"{seconds:.2f}",
        f"{decoded.total:.4f} +- {decoded.total_error:.4f}",
        f"{bonferroni.sum()} ({bonferroni[listed:].sum()})",
        f"{fdr.sum()} ({fdr[listed:].sum()})",
        f"{decoded.raw[0]:.4f} +- {decoded.errors[0]:.4f}",
        f"{decoded.misfit:.2f}",
        f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:.0f}",
    ]


def measure(long: bool) -> list[str]:
    folder = find_folder()
    start = time.perf_counter()
    rappor = read_parameters(folder / "params.csv")
    counts, listed = read_counts(rappor, folder / "counts.csv"), read_candidates(rappor, folder / "map.csv")
    candidates = lengthen(listed) if long else listed
    decoded = decode(candidates, counts)
    name = f"{len(candidates):,} candidates, {decoded.reports:,} reports"
    return describe(name, time.perf_counter() - start, decoded, len(listed))


def measure_hashing() -> list[str]:
    names = [f"https://example.org/page/{number}" for number in range(LONG)]
    start = time.perf_counter()
    hash_candidates(WIDE, names)
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    return [f"hash {LONG:,} candidates", f"{time.perf_counter() - start:.2f}", *["-"] * 5, f"{memory:.0f}"]


def main() -> None:
    """Print a table: every line is measured in a process of its own."""
    parts = {"short": lambda: measure(False), "long": lambda: measure(True), "hash": measure_hashing}
    if len(sys.argv) > 1:
        print("\t".join(parts[sys.argv[1]]()))
        return
    find_folder()
    rows = [
        subprocess.run([sys.executable, __file__, part], capture_output=True, text=True, check=True).stdout.strip()
        for part in parts
    ]
    header = ["what", "s", "total mass", "Bonferroni 5 % (decoys)", "FDR 5 % (decoys)", "the first", "misfit", "MB"]
    print(markdown(header, [row.split("\t") for row in rows]))


if __name__ == "__main__":
    main()
