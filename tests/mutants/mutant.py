"""A broken rule: what is changed in a copy of the source, and the tests that must notice."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path


@dataclass(frozen=True)
class Mutant:
    """A broken rule: the edits (file, old text, new text) that break it and the tests that must notice."""

    name: str
    edits: tuple[tuple[str, str, str], ...]
    tests: tuple[str, ...]

    @property
    def words(self) -> str:
        """Its name and the files that it changes, to be found by."""
        return " ".join([self.name, *(file for file, _, _ in self.edits)])

    def apply(self, source: Path) -> None:
        """Break the source in that folder."""
        for file, old, new in self.edits:
            path = source / file
            path.write_text(path.read_text().replace(old, new))

    def mistakes(self, root: Path) -> list[str]:
        """Return what keeps this mutant from meaning anything: a text that is not there just once, a missing test."""
        found = []
        for file, old, new in self.edits:
            path = root / "src" / "discreet" / file
            count = path.read_text().count(old) if path.is_file() else 0
            if count != 1:
                found.append(f"{self.name!r}: {file} holds {count} times: {old!r}")
            if old == new:
                found.append(f"{self.name!r}: the edit of {file} changes nothing")
        missing = [test for test in self.tests if not (root / test.split("::")[0]).exists()]
        found += [f"{self.name!r}: there is no {test}" for test in missing]
        return found if self.tests else [*found, f"{self.name!r}: no test is named"]


def broken(name: str, file: str, old: str, new: str, *tests: str) -> Mutant:
    """Return a mutant with one edit."""
    return Mutant(name, ((file, old, new),), tests)
