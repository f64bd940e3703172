"""One section of a policy file: hands out its keys by kind and notes what is wrong with them."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from discreet.policy import exact
from discreet.policy.problems import Problems, quote_value


class Section:
    """A TOML table. Readers return None for what is missing or wrong; what is wrong has been noted by then."""

    def __init__(self, problems: Problems, key: tuple[str, ...], content: object, known: Sequence[str] | None) -> None:
        """Refuse every key that is not known; `known` is None where the keys are names of the owner's."""
        self.problems = problems
        self.key = key
        self.content: dict[str, Any] = content if isinstance(content, dict) else {}
        if not isinstance(content, dict):
            self.wrong((), f"is {quote_value(content)}, not a section", "write its keys in a section of that name")
        for name in self.content:
            if known is not None and name not in known:
                self.wrong(name, *_unknown(name, known))

    def __contains__(self, name: str) -> bool:
        return name in self.content

    def wrong(self, name: str | tuple[str, ...], wrong: str, remedy: str) -> None:
        """Note a problem with a key of this section, or with the section where the name is ()."""
        self.problems.add((*self.key, *((name,) if isinstance(name, str) else name)), wrong, remedy)

    def section(self, name: str, known: Sequence[str] | None) -> Section:
        """Return the section inside this one; an empty one where it is missing."""
        return Section(self.problems, (*self.key, name), self.content.get(name, {}), known)

    def sections(self, known: Sequence[str]) -> Iterator[tuple[str, Section]]:
        """Yield the sections inside this one, whose names are the owner's; refuse names that SQL cannot tell apart."""
        check_key_names(self.problems, self.key, list(self.content))
        for name in self.content:
            section = self.section(name, known)
            if isinstance(self.content[name], dict):
                yield name, section

    def text(self, name: str, remedy: str) -> str | None:
        """Return a text that is not empty."""
        value = self.content.get(name)
        if value is None or (isinstance(value, str) and value.strip()):
            return value
        self.wrong(name, "is empty" if isinstance(value, str) else f"is {quote_value(value)}, not text", remedy)
        return None

    def flag(self, name: str) -> bool:
        """Return true or false; false where it is missing."""
        value = self.content.get(name, False)
        if isinstance(value, bool):
            return value
        self.wrong(name, f"is {quote_value(value)}", f"write {name} = true or {name} = false")
        return False

    def whole(self, name: str) -> int | None:
        """Return a whole number of at least 1."""
        value = self.content.get(name)
        number = exact.fraction(value)
        if value is None or (isinstance(value, int) and number is not None and number >= 1):
            return value
        self.wrong(name, f"is {quote_value(value)}", f"write a whole number of at least 1, such as {name} = 10")
        return None

    def number(self, name: str, remedy: str) -> Fraction | None:
        """Return an exact number."""
        value = self.content.get(name)
        number = exact.fraction(value)
        if value is not None and number is None:
            self.wrong(name, f"is {quote_value(value)}, not a number of at most {exact.DIGITS} digits", remedy)
        return number

    def texts(self, name: str) -> tuple[str, ...]:
        """Return a list of different texts; an empty one where it is missing."""
        value = self.content.get(name, [])
        if not isinstance(value, list) or not all(isinstance(entry, str) and entry for entry in value):
            self.wrong(name, f"is {quote_value(value)}", f'write a list of names, such as {name} = ["ssn"]')
            return ()
        for entry in sorted({entry for entry in value if value.count(entry) > 1}):
            self.wrong(name, f"{quote_value(entry)} is there twice", "write it once")
        return tuple(value)


def check_key_names(problems: Problems, key: tuple[str, ...], names: Sequence[str]) -> None:
    """Refuse names that could be confused: empty ones, reserved ones, and those that differ in case only."""
    seen: dict[str, str] = {}
    for name in names:
        other = seen.setdefault(name.casefold(), name)
        if not name.strip() or "\0" in name:
            problems.add((*key, name), "a name must have a character that can be seen", "rename it")
        if name.casefold().startswith("__discreet"):
            problems.add((*key, name), "names that begin with __discreet are discreet's own", "rename it")
        if other != name:
            problems.add(
                (*key, name), f"differs from {quote_value(other)} in case only, and SQL sees no case", "rename one"
            )


def _unknown(name: str, known: Sequence[str]) -> tuple[str, str]:
    if name.endswith("_env") and not any(key.endswith("_env") for key in known):
        return "is not known: no key of this section takes an environment variable", "take it out"
    near = difflib.get_close_matches(name.casefold(), known, n=1, cutoff=0.6)
    return "is not known", f"did you mean {near[0]}?" if near else f"known here: {', '.join(known)}"
