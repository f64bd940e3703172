"""What the audit of the house is told on its command line: whatever means nothing ends it with 2, before it begins."""

from __future__ import annotations

import argparse
import os
from collections.abc import Callable
from pathlib import Path

from discreet.audit.house.questions import FEWEST
from discreet.audit.house.running import LIGHT, WHOLE

BEGIN, END = "<!-- what `make audit` found -->", "<!-- the end of what it found -->"


def make_parser() -> argparse.ArgumentParser:
    """Return what reads the command line."""
    parser = argparse.ArgumentParser(
        prog="python -m discreet.audit.house",
        description="Audits everything shipped. Ends with 1 where a claim is refuted, with 2 where a word is wrong.",
    )
    size = parser.add_mutually_exclusive_group()
    size.add_argument(
        "--light", action="store_const", const=LIGHT, dest="outputs", help="fewer outputs: under a minute"
    )
    size.add_argument("--outputs", type=_count_from(FEWEST), metavar="N", help="of each component, fewer of dear ones")
    parser.set_defaults(outputs=WHOLE)
    parser.add_argument("--only", default="", metavar="WORD", help="what has this word in its name, as tables write it")
    parser.add_argument("--stop", action="store_true", help="the cheapest first, and end with the first claim refuted")
    parser.add_argument(
        "--workers", type=_count_from(1), default=1, metavar="N", help="processes that audit parts at once"
    )
    parser.add_argument("--write", type=_find_page, metavar="PAGE", help="put the tables into this page, too")
    return parser


def _count_from(least: int) -> Callable[[str], int]:
    def count(text: str) -> int:
        try:
            number = int(text)
        except ValueError:
            number = least - 1
        if number < least:
            raise argparse.ArgumentTypeError(f"it must be a whole number >= {least}; got {text!r}")
        return number

    return count


def _find_page(text: str) -> Path:
    """Return a page that can be written, with both marks: an audit takes minutes, and then it is too late."""
    page = Path(text)
    if not page.is_file() or not os.access(page, os.W_OK):
        raise argparse.ArgumentTypeError(f"it must be a file that is there and can be written; got {text!r}")
    _, begun, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    if not begun or END not in rest:
        raise argparse.ArgumentTypeError(f"it must be a page with {BEGIN} and, after it, {END}; {text!r} is none")
    return page
