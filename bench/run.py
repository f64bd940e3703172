"""Run the benchmarks and write bench/RESULTS.md: all of them, or only those named, the other sections kept."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import sys
from pathlib import Path

import accounting
import asking
import curator
import engines
import ledger
import mechanisms
import noise
import online
import utility
from results import read_sections, write_sections

RESULTS = Path(__file__).with_name("RESULTS.md")
SECTIONS = {
    "noise": ("Exact integer noise", noise),
    "mechanisms": ("Mechanisms", mechanisms),
    "accounting": ("Accounting", accounting),
    "ledger": ("The ledger", ledger),
    "curator": ("The curator", curator),
    "asking": ("Asking", asking),
    "engines": ("Engines", engines),
    "utility": ("Utility", utility),
    "online": ("Questions one by one", online),
}


def main() -> None:
    wanted = sys.argv[1:] or list(SECTIONS)
    unknown = sorted(set(wanted) - set(SECTIONS))
    if unknown:
        raise SystemExit(f"{', '.join(unknown)}: these sections exist: {', '.join(SECTIONS)}")
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}"
        for name in ("numpy", "scipy", "python-flint", "duckdb", "opendp", "dp-accounting", "pipeline-dp")
    )
    head = (
        "# Results\n\n"
        "Written by `make bench`: each section is one run on one machine, so ratios count, not seconds.\n"
        "One of them again: `.venv-peers/bin/python bench/run.py curator`.\n\n"
        f"Python {platform.python_version()}, {versions}; {platform.machine()}, {os.cpu_count()} cores.\n"
    )
    kept = read_sections(RESULTS)
    for name, (title, section) in SECTIONS.items():
        if name in wanted:
            kept[title] = section.report()
            write_sections(RESULTS, head, (each for each, _ in SECTIONS.values()), kept)
    print(RESULTS.read_text())


if __name__ == "__main__":
    main()
