"""Run every benchmark and write bench/RESULTS.md."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path

import accounting
import asking
import curator
import ledger
import mechanisms
import noise
import utility

RESULTS = Path(__file__).with_name("RESULTS.md")


def main() -> None:
    versions = ", ".join(
        f"{name} {importlib.metadata.version(name)}"
        for name in ("numpy", "scipy", "python-flint", "duckdb", "opendp", "dp-accounting", "pipeline-dp")
    )
    head = (
        "# Results\n\n"
        "Written by `make bench`: each section is one run on one machine, so ratios count, not seconds.\n\n"
        f"Python {platform.python_version()}, {versions}; {platform.machine()}, {os.cpu_count()} cores.\n"
    )
    sections = [noise, mechanisms, accounting, ledger, curator, asking, utility]
    RESULTS.write_text("\n".join([head, *(section.report() for section in sections)]))
    print(RESULTS.read_text())


if __name__ == "__main__":
    main()
