"""The table of docs/sql.md that says how every line of it does on every engine: `python tests/conformance/table.py`."""

from __future__ import annotations

import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from conformance.asking import PAGE, PATHS, QUIRKS, Case, examples

HEAD = "## On every engine\n"


def section() -> str:
    """Return the whole section of the page."""
    lines = [case for case in examples() if not case.line.startswith("instead of")]
    rows = [_row(case.line, [case]) for case in lines]
    rows += [_row(line, [Case("readings", line, text) for text in texts]) for line, texts in QUIRKS.items()]
    rows += [_row(line, [Case("shop", line, text) for text in texts]) for line, texts in PATHS.items()]
    instead = len(examples()) - len(lines)
    return (
        f"{HEAD}\n"
        "Every line of this page, and every way in which engines were seen to differ, is asked on all three over\n"
        "tables of the worst values (`tests/conformance`). *Same* are the same whole numbers before noise; *a step*:\n"
        "they may differ by one step of the grid for a row, where the last bits of floats do. The\n"
        f"{instead} rewrites of what is refused are the same too.\n\n"
        "| line | questions | DuckDB | Spark | PostgreSQL |\n|---|---|---|---|---|\n" + "\n".join(rows) + "\n"
    )


def _row(line: str, cases: list[Case]) -> str:
    close = sum(case.close for case in cases)
    word = "same" if not close else "a step" if close == len(cases) else f"same; a step in {close}"
    return f"| {line} | {len(cases)} | reference | {word} | {word} |"


def written(page: str) -> str:
    """Return the page with this section at its end, as it should be."""
    return f"{page.partition(HEAD)[0].rstrip()}\n\n{section()}"


if __name__ == "__main__":
    path = Path(__file__).parents[2] / "docs" / "sql.md"
    path.write_text(written(PAGE))
