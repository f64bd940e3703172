"""Areas as whole numbers: what an engine makes of the name of a row's area, and which names these numbers stand for.

A geography has up to millions of smallest areas, each with a name in a column of the private table. No statement can
list them all, and no list need travel: an engine writes each name as numbers in a fixed public way, and the desk, which
has the list, finds the area.

A column of whole numbers is its own code: all areas' names are digits then, and numbers below the least or above the
greatest of them count as the next one beyond, which no area has.

A text is read letter by letter. The public alphabet is every letter of every name. A letter's digit is its place there,
from 1 on, and 0 for a letter that no name has; where names have different lengths, digits are one more, and 0 stands
for what is beyond the text's end. Digits of several letters make a number below 2^52: fifteen, where names are digits.
Two texts within the names' lengths have the same numbers only where they are the same, or where both have a letter that
no name has: no row of an undeclared name is taken for another's. A text that is shorter than all names or longer than
all of them has no code, and its row is left out where rows are read.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from discreet.base.errors import ParameterError
from discreet.base.types import Type
from discreet.base.wide import Ints
from discreet.policy.model import DeclaredColumn

MOST_CODE = 1 << 52
"""What the numbers of a code stay below: larger ones are not read in steps of 1."""

MOST_LETTERS = 200
"""Letters of a name."""

LARGEST = 2 * 10**15
"""The largest name of an area in a column of whole numbers, also below 0: more than all that have 15 digits."""


class AreaColumn(Protocol):
    """A column with the names of areas."""

    def write_codes(self, parameters: dict[str, Any]) -> list[str]:
        """Return SQL for the numbers of a row's code; constants are added to the parameters."""

    def list_codes(self) -> Ints:
        """Return the code of each area: a line of numbers for each."""

    @property
    def no_code(self) -> int:
        """A number that is in no area's code."""


@dataclass(frozen=True)
class WholeAreas:
    """Areas whose names are whole numbers, in a column of such."""

    column: str
    numbers: tuple[int, ...]

    def write_codes(self, parameters: dict[str, Any]) -> list[str]:
        """Return the number itself; beyond all areas' numbers, one that none has."""
        low, high = min(self.numbers) - 1, max(self.numbers) + 1
        return [f"LEAST(GREATEST({quote_name(self.column)}, {low}), {high})"]

    @property
    def no_code(self) -> int:
        """The number below all of them."""
        return min(self.numbers) - 1

    def list_codes(self) -> Ints:
        """Return the numbers."""
        return np.array(self.numbers, dtype=np.int64)[:, None]


@dataclass(frozen=True)
class TextAreas:
    """Areas whose names are texts."""

    column: str
    names: tuple[str, ...]

    @cached_property
    def alphabet(self) -> str:
        """Every letter of every name, in order."""
        return "".join(sorted(set("".join(self.names))))

    @cached_property
    def lengths(self) -> tuple[int, int]:
        """How many letters the shortest and the longest name have."""
        return min(map(len, self.names)), max(map(len, self.names))

    @property
    def ends(self) -> int:
        """1 where names have different lengths, so that a digit stands for what is beyond a text's end; else 0."""
        return int(self.lengths[0] < self.lengths[1])

    @property
    def base(self) -> int:
        """How many digits there are."""
        return len(self.alphabet) + 1 + self.ends

    @property
    def together(self) -> int:
        """How many letters make one number."""
        return max(1, *(each for each in range(1, 52) if self.base**each < MOST_CODE))

    @property
    def no_code(self) -> int:
        """A number below 0, as none is that is made of letters."""
        return -1

    def write_codes(self, parameters: dict[str, Any]) -> list[str]:
        """Return a number for each run of letters: NULL for a text whose length no name has in between."""
        name, (shortest, longest) = quote_name(self.column), self.lengths
        parameters["alphabet"] = self.alphabet
        digits = [f"STRPOS($alphabet, SUBSTR({name}, {at}, 1)) + {self.ends}" for at in range(1, longest + 1)]
        for at in range(shortest, longest):
            digits[at] = f"CASE WHEN LENGTH({name}) <= {at} THEN 0 ELSE {digits[at]} END"
        listed = []
        for first in range(0, longest, self.together):
            some = digits[first : first + self.together]
            most = self.base ** len(some) - 1
            terms = [f"({digit}) * {self.base**power}" for power, digit in enumerate(reversed(some))]
            code = f"LEAST(GREATEST({_add_terms(terms)}, 0), {most})"
            listed.append(f"CASE WHEN LENGTH({name}) BETWEEN {shortest} AND {longest} THEN {code} END")
        return listed

    def list_codes(self) -> Ints:
        """Return the same numbers of all areas."""
        _, longest = self.lengths
        table = np.zeros(ord(self.alphabet[-1]) + 1, dtype=np.int64)
        table[[ord(letter) for letter in self.alphabet]] = np.arange(1 + self.ends, self.base)
        digits = table[np.array(self.names).view(np.uint32).reshape(len(self.names), longest)]
        found = []
        for first in range(0, longest, self.together):
            some = digits[:, first : first + self.together]
            powers = self.base ** np.arange(some.shape[1] - 1, -1, -1, dtype=np.int64)
            found.append((some * powers).sum(axis=1))
        return np.stack(found, axis=1)


def place_areas(column: DeclaredColumn, names: Sequence[str]) -> WholeAreas | TextAreas:
    """Return how areas become numbers in a column, or refuse one that cannot hold their names."""
    if column.type is Type.INTEGER:
        wrong = next((name for name in names if not _is_whole(name)), None)
        if wrong is not None:
            raise ParameterError(
                "area", wrong, f"a whole number as SQL writes it: {column.name} is a column of such, and of no texts"
            )
        return WholeAreas(column.name, tuple(map(int, names)))
    if column.type is not Type.TEXT:
        raise ParameterError("area", column.name, f"a column of texts or of whole numbers; it is {column.type}")
    wrong = next((name for name in names if not 1 <= len(name) <= MOST_LETTERS or "\0" in name), None)
    if wrong is not None:
        raise ParameterError("area", wrong[:MOST_LETTERS], f"a name of 1 to {MOST_LETTERS} letters")
    longest = max(map(len, names))
    if longest > column.most_letters:
        raise ParameterError(
            "area",
            column.name,
            f"a column whose texts have up to {longest} letters, as some areas' names: "
            f"longer ones than {column.most_letters} are NULL",
        )
    return TextAreas(column.name, tuple(names))


def quote_name(name: str) -> str:
    """Return a name as SQL has it."""
    doubled = name.replace('"', '""')
    return f'"{doubled}"'


def _is_whole(name: str) -> bool:
    return name.isascii() and name.lstrip("-").isdigit() and str(int(name)) == name and abs(int(name)) <= LARGEST


def _add_terms(terms: list[str]) -> str:
    """Return a sum that is nested as little as can be."""
    if len(terms) == 1:
        return terms[0]
    half = len(terms) // 2
    return f"({_add_terms(terms[:half])} + {_add_terms(terms[half:])})"
