"""Audits the house: `python -m discreet.audit.house [--light] [--only WORD]`; ends with 1 where a claim is refuted."""

from __future__ import annotations

import sys
from collections.abc import Sequence

from discreet.audit.house.options import BEGIN, END, make_parser
from discreet.audit.house.running import run
from discreet.base.errors import ParameterError


def put_between(page: str, tables: str, begin: str = BEGIN, end: str = END) -> str:
    """Return a page with these tables in the place of those that an earlier audit left there, between two marks."""
    before, _, rest = page.partition(begin)
    _, _, after = rest.partition(end)
    return f"{before}{begin}\n{tables}{end}{after}"


def main(words: Sequence[str] | None = None) -> int:
    """Run the audit, print its tables, and return how it ended."""
    parser = make_parser()
    given = parser.parse_args(words)
    tell = lambda line: print(line, file=sys.stderr, flush=True)  # noqa: E731
    try:
        report = run(given.outputs, given.only, tell, stop=given.stop, workers=given.workers)
    except ParameterError as trouble:
        if trouble.name != "only":
            raise
        parser.error(f"--{trouble}")
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
