"""Bits of floats: what noise in floats tells by its last bits, and noise on the integers does not.

A float Laplace sampler turns a uniform number k / 2^53 into noise, so it can only draw some of the floats. Added to a
count, they land on some floats as well: on others than with a count that is one larger. Who knows the formula, as
everybody does, looks whether an answer can come of a count at all (Mironov 2012). For many answers one count alone can.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.audit.attacks.guesses import bound_right_guesses
from discreet.audit.attacks.people import Secret
from discreet.audit.attacks.pictures import draw_bits
from discreet.audit.attacks.telling import EXACT, write_caption, write_findings, write_percent
from discreet.audit.blackbox.lower_bound import lower_bound
from discreet.audit.blackbox.outputs import BatchMechanism
from discreet.audit.blackbox.scores import LearnedScore
from discreet.audit.suite.counting import count_geometrically, count_in_floats
from discreet.audit.suite.specimens import EPSILON
from discreet.base import check
from discreet.base.grid import Floats
from discreet.base.showing import ShownAsText
from discreet.noise.coin import Bools

STEPS = 2.0**-53
"""Between uniform numbers in floats."""

NEAR = 8
"""Uniform numbers that are tried to either side of where an answer must come from."""

CONFIDENCE = 0.95

MOST_COUNT = 2**50
"""Up to here floats hold a count, what is added to it, and the half between two counts."""


@dataclass(frozen=True, slots=True)
class BitsRead:
    """What the answers of one mechanism told, half of them with the person counted, half without."""

    name: str
    certain: float
    """The share of answers that only one of the two counts can give."""
    right: float
    """The share of right guesses."""
    epsilon: float
    """What the mechanism loses at the least, with 95 % confidence."""


@dataclass(frozen=True, repr=False)
class FloatBits(ShownAsText):
    """What last bits told of two neighbouring counts: of noise in floats, and of ours."""

    count: int
    """With the person; without, it is one less."""
    outputs: int
    claimed: float
    in_floats: BitsRead
    ours: BitsRead
    words: str = ""
    """The secret that is counted, where it is one of a table of one's own."""

    @property
    def bound(self) -> float:
        """The share of right guesses that no attacker exceeds on average, if the claim is true."""
        return bound_right_guesses(self.claimed)

    def __str__(self) -> str:
        both = (("noise in floats", self.in_floats), ("noise of ours", self.ours))
        lines = [
            (
                "the question",
                f"is one person counted{self._tell_secret()}: is the true count {self.count:,} or {self.count - 1:,}? "
                f"{self.outputs:,} answers, half of either, each claimed to be {self.claimed:g}-differentially private",
            ),
            *(
                (
                    label,
                    f"{write_percent(read.certain)} of the answers can come of one of the two counts alone; "
                    f"{write_percent(read.right)} of the guesses are right; "
                    + (
                        f"it loses epsilon {read.epsilon:.3g} at the least, at {CONFIDENCE:.0%} confidence"
                        if read.epsilon
                        else "no loss is proven by this"
                    ),
                )
                for label, read in both
            ),
            (
                "no attacker",
                f"is right more often than {write_percent(self.bound)} on average, if the claim is true; two "
                f"deviations of {self.outputs:,} guesses are {100 / math.sqrt(self.outputs):.2g} points",
            ),
        ]
        note = (
            "Answers are drawn from the mechanisms themselves: a curator would have to be asked "
            f"{self.outputs:,} times. Large counts hide the bits: what is left of them is what the sum can hold."
        )
        return write_findings("Bits of floats: which answers are possible", lines, [note, *[EXACT] * bool(self.words)])

    def _tell_secret(self) -> str:
        return f" ({self.words})" if self.words else ""

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""

        def tell(read: BitsRead) -> dict[str, Any]:
            return {"name": read.name, "certain": read.certain, "right": read.right, "epsilon_at_least": read.epsilon}

        return {
            "attack": "float bits",
            "count": self.count,
            "outputs": self.outputs,
            "claimed_epsilon": self.claimed,
            "in_floats": tell(self.in_floats),
            "ours": tell(self.ours),
            "bound": self.bound,
            **({"secret": self.words, "for": EXACT} if self.words else {}),
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw which share of answers only one count can give; saved where a path is given."""
        both = (self.in_floats, self.ours)
        words = f"the most at epsilon {self.claimed:g}: {write_percent(self.bound)}"
        below = (
            f"{self.outputs:,} answers; the true count{self._tell_secret()} is {self.count:,} or {self.count - 1:,}; "
            f"both noises claim epsilon {self.claimed:g}. In floats it loses at least {self.in_floats.epsilon:.3g}."
        )
        shares = ([each.certain for each in both], [each.right for each in both])
        drawn = write_caption(below, bool(self.words))
        return draw_bits(*shares, (words, self.bound), drawn, None if path is None else Path(path))


def read_bits(count: int | Secret = 1, *, outputs: int = 100_000) -> FloatBits:
    """Tell two neighbouring counts apart by what answers are possible: of float noise, and of our whole numbers.

    The larger count is a number, or how many have a secret; at most 2^50, since the attack computes in floats itself.
    Both mechanisms claim epsilon 0.1. An answer of ours is a whole number, and every whole number is possible for every
    count: nothing is left to look at but how far it is away. As many answers again are drawn to certify what each of
    them loses at the least.
    """
    words = count.words if isinstance(count, Secret) else ""
    if isinstance(count, Secret):
        count = int(np.count_nonzero(count.bits))
    check.integer("count", count, least=1, most=MOST_COUNT)
    check.integer("outputs", outputs, least=1_000)
    floats = _read("float Laplace", count_in_floats, can_come_of, count, outputs // 2)
    whole = _read("discrete Laplace", count_geometrically, _always, count, outputs // 2)
    return FloatBits(count, 2 * (outputs // 2), EPSILON, floats, whole, words)


def can_come_of(count: int, answers: Floats) -> Bools:
    """Say which answers the float sampler can give for a count: by trying the uniform numbers that come near.

    Where the noise is finer than the sum can hold, some of these always give the answer; where it is coarser, there is
    one at most, and it is among them.
    """
    noise = answers - count
    shares = np.exp(-EPSILON * np.abs(noise))  # one less twice the uniform number's distance from a half
    nearest = np.rint((1 - shares) / 2 / STEPS)
    side = np.where(noise < 0, -1.0, 1.0)
    found = np.zeros(len(answers), dtype=bool)
    for step in range(-NEAR, NEAR + 1):
        uniform = side * np.clip(nearest + step, 0, 2.0**52 - 1) * STEPS
        found |= count - np.sign(uniform) / EPSILON * np.log(1 - 2 * np.abs(uniform)) == answers
    return found


def _always(count: int, answers: Floats) -> Bools:
    """Say that every whole number is possible for every count: the discrete Laplace distribution has no gaps."""
    return np.asarray(answers == np.rint(answers))


def _read(
    name: str, mechanism: BatchMechanism, possible: Callable[[int, Floats], Bools], count: int, each: int
) -> BitsRead:
    """Guess of every answer whether the person is in it: as what is possible says, else by which count is nearer."""
    drawn = [np.asarray(mechanism(given, each), dtype=np.float64) for given in (count, count - 1)]
    answers, truth = np.concatenate(drawn), np.repeat([True, False], each)
    inside, outside = possible(count, answers), possible(count - 1, answers)
    certain = inside != outside
    guess = np.where(certain, inside, answers > count - 0.5)

    def rate(rows: Floats) -> Floats:
        told = np.ascontiguousarray(rows[:, 0])
        return possible(count, told).astype(np.float64) - possible(count - 1, told)

    score = LearnedScore("which counts an answer can come of", rate)
    bound = lower_bound(mechanism, count, count - 1, confidence=CONFIDENCE, samples=2 * each, score=score)
    return BitsRead(name, float(certain.mean()), float((guess == truth).mean()), bound.epsilon)
