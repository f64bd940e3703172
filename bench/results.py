"""Pages of results: sections by their titles, each from one run; running one again keeps the others."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from pathlib import Path


def read_sections(path: Path) -> dict[str, str]:
    """Return the sections of a page by their titles."""
    text = path.read_text() if path.exists() else ""
    parts = re.split(r"^(?=## )", text, flags=re.MULTILINE)[1:]
    return {part.partition("\n")[0].removeprefix("## "): part for part in parts}


def write_sections(path: Path, head: str, titles: Iterable[str], sections: Mapping[str, str]) -> None:
    """Write a page with these sections in their order; those that were never run say so."""
    parts = [sections.get(title, f"## {title}\n\nNot measured yet.\n") for title in titles]
    path.write_text("\n".join([head, *(f"{part.rstrip()}\n" for part in parts)]))
