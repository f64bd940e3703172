"""RAPPOR for texts that nobody could list (Fanti, Pihur, Erlingsson 2016): a text, and two fragments of it.

Which fragments are frequent, and which go together, is found by trying all of their few letters. Frequent fragments
that go together make up candidates, and the reports of whole texts say which of these are there.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import combinations
from typing import ClassVar

from .coins import Coins, KeyedCoins, check_count
from .errors import ClientError
from .mechanism import Mechanism, Randomised
from .rappor import MOST_COHORTS, Rappor, derive_secret

FILLER = b"\x00"
"""What a short text is filled up with."""
PARTS = 3
"""A report has three parts: the whole text, and two fragments."""


@dataclass(frozen=True)
class RapporStrings(Mechanism):
    """Sends three RAPPOR reports of one text: of the whole, and of two of its `pieces` fragments of `letters` bytes.

    Which two is drawn without looking and sent along; a person keeps the pair and the cohort for a lifetime. Parts have
    permanent noise of their own, so what they tell adds up: three times what one RAPPOR report does.
    """

    kind: ClassVar[str] = "rappor-strings"
    takes: ClassVar[str] = "text"
    remembers: ClassVar[bool] = True

    bits: int
    hashes: int
    cohorts: int
    p: int
    q: int
    f: int
    letters: int
    pieces: int

    def __post_init__(self) -> None:
        check_count("letters", self.letters, 1, 8)
        check_count("pieces", self.pieces, 2, 16)
        if self.part.cohorts * len(self.pairs) > MOST_COHORTS:
            raise ClientError(f"cohorts is {self.cohorts}; write fewer: times the pairs of pieces they exceed 2^16")

    @classmethod
    def take(cls, part: Rappor, letters: int, pieces: int) -> RapporStrings:
        """Return the mechanism whose parts are all of one kind."""
        return cls(part.bits, part.hashes, part.cohorts, part.p, part.q, part.f, letters, pieces)

    @cached_property
    def part(self) -> Rappor:
        """The mechanism of each of the three parts."""
        return Rappor(self.bits, self.hashes, self.cohorts, self.p, self.q, self.f)

    @cached_property
    def pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of places that fragments are taken from."""
        return tuple(combinations(range(self.pieces), 2))

    @property
    def epsilon(self) -> float:
        """What one report tells at most, rounded up."""
        return _triple(self.part.epsilon)

    @property
    def constant(self) -> float:
        """What all reports of a text that never changes tell at most, rounded up; infinite without permanent noise."""
        return _triple(self.part.constant)

    def bound_lifetime(self, reports: int) -> float:
        """Return what so many reports tell at most, however the text changes, rounded up."""
        return _triple(self.part.bound_lifetime(reports))

    def sum_epsilon(self, reports: int) -> Fraction:
        """Return what so many reports of one person tell at most, however the text changes."""
        return Fraction(self.bound_lifetime(reports)) if reports else Fraction(0)

    @property
    def seeds(self) -> int:
        """How many pairs of a pair of places and a cohort there are."""
        return len(self.pairs) * self.cohorts

    @property
    def payload_size(self) -> int:
        """How many bytes a payload has."""
        return PARTS * self.part.payload_size

    def cut(self, text: bytes) -> tuple[bytes, ...]:
        """Return the fragments of a text: it is cut off, or filled up."""
        size = self.letters * self.pieces
        filled = text[:size].ljust(size, FILLER)
        return tuple(filled[first : first + self.letters] for first in range(0, size, self.letters))

    def join(self, fragments: tuple[bytes, ...]) -> bytes:
        """Return the text that fragments are of."""
        return b"".join(fragments).rstrip(FILLER)

    def split(self, seed: int) -> tuple[tuple[int, int], int]:
        """Return the places and the cohort of a report."""
        pair, cohort = divmod(seed, self.cohorts)
        return self.pairs[pair], cohort

    def choose_parts(self, text: bytes, places: tuple[int, int]) -> tuple[bytes, bytes, bytes]:
        """Return the three texts that a report is of: what was cut off is not in the whole either."""
        fragments = self.cut(text)
        return self.join(fragments), fragments[places[0]], fragments[places[1]]

    def randomise(self, value: bytes, coins: Coins) -> Randomised:
        """Return a report of somebody who reports once."""
        seed = coins.choose(self.seeds)
        return self._report(value, seed, coins, lambda bloom, _: self.part.forget(bloom, coins))

    def recall(self, value: bytes, secret: bytes, coins: Coins) -> Randomised:
        """Return a report whose places, cohort and permanent noise are functions of a secret.

        Every place has a secret of its own: equal fragments of two places do not look alike.
        """
        seed = KeyedCoins(secret, b"places and cohort").choose(self.seeds)

        def settle(bloom: int, name: str) -> int:
            return self.part.settle(bloom, derive_secret(secret, "permanent", seed, name))

        return self._report(value, seed, coins, settle)

    def _report(self, value: bytes, seed: int, coins: Coins, settle: Callable[[int, str], int]) -> Randomised:
        places, cohort = self.split(seed)
        names = ("whole", f"place {places[0]}", f"place {places[1]}")
        blooms = [self.part.filter(text, cohort) for text in self.choose_parts(value, places)]
        noisy = [self.part.report(settle(bloom, name), coins) for bloom, name in zip(blooms, names, strict=True)]
        return Randomised(seed, b"".join(self.part.pack(cohort, each).payload for each in noisy))


def _triple(bound: float) -> float:
    return math.nextafter(PARTS * bound, math.inf)
