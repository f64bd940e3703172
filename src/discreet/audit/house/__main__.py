"""Audits the house: `python -m discreet.audit.house [--light] [--only WORD]`; ends with 1 where a claim is refuted."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from discreet.audit.house.running import LIGHT, WHOLE, run

BEGIN, END = "<!-- what `make audit` found -->", "<!-- the end of what it found -->"


def put_between(page: str, tables: str, begin: str = BEGIN, end: str = END) -> str:
    """Return a page with these tables in the place of those that an earlier audit left there, between two marks."""
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{tables}{end}{after}"


def main() -> int:
    """Run the audit, print its tables, and return how it ended."""
    parser = argparse.ArgumentParser(prog="python -m discreet.audit.house", description="Audits everything shipped.")
    parser.add_argument("--light", action="store_true", help="fewer outputs: under a minute")
    parser.add_argument("--only", default="", metavar="WORD", help="components with this word in their names")
    parser.add_argument("--outputs", type=int, default=WHOLE, metavar="N", help="of each component, fewer of dear ones")
    parser.add_argument("--stop", action="store_true", help="the cheapest first, and end with the first claim refuted")
    parser.add_argument("--workers", type=int, default=1, metavar="N", help="processes that audit parts at once")
    parser.add_argument("--write", type=Path, metavar="PAGE", help="put the tables into this page, too")
    given = parser.parse_args()
    outputs = LIGHT if given.light else given.outputs
    tell = lambda line: print(line, file=sys.stderr, flush=True)  # noqa: E731
    report = run(outputs, given.only, tell, stop=given.stop, workers=given.workers)
    print(report.markdown(), flush=True)
    counts = f"{len(report.findings)} components, {len(report.losses)} losses, {len(report.replays)} replays"
    print(f"{counts} in {report.seconds:.0f} s")
    if given.write is not None:
        page = given.write.read_text(encoding="utf-8")
        given.write.write_text(put_between(page, report.markdown()), encoding="utf-8")
    for name in report.broken:
        print(f"REFUTED: {name}")
    return 1 if report.broken else 0


if __name__ == "__main__":
    sys.exit(main())
