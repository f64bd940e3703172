"""Differencing: how many have it, less how many others have it, is what one person has.

Neither count is about one person, and no rule that looks at single questions stops it. Through a curator each count
has noise of its own, and both are paid for: the difference is private as a whole.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.audit.attacks.asking import check_epsilon, guard_secrets
from discreet.audit.attacks.guesses import bound_right_guesses
from discreet.audit.attacks.people import Secret, check_secret, make_secret
from discreet.audit.attacks.pictures import draw_differences
from discreet.audit.attacks.telling import EXACT, write_caption, write_count, write_findings, write_percent, write_share
from discreet.base import check
from discreet.base.showing import ShownAsText
from discreet.base.wide import Ints
from discreet.noise.coin import Bools
from discreet.privacy.neighbours import Neighbours

ALL = "SELECT COUNT(*) AS n FROM people WHERE secret"
OTHERS = "SELECT COUNT(*) AS n FROM people WHERE secret AND person <> {}"
MOST_TARGETS = 2_000
"""Two counts of each take some hundredths of a second; by so many, shares are known to a point or two."""


@dataclass(frozen=True, repr=False)
class Differencing(ShownAsText):
    """What two counts tell of each target: their difference, exact and as the curator gave it."""

    words: str
    people: int
    epsilon: float
    """Of both questions about one target together."""
    neighbours: Neighbours
    has: Bools
    """Which targets have the secret."""
    exact: Ints
    noisy: Ints
    charged: float
    """The epsilon that the ledger charged for all targets together."""
    own: bool = False
    """Whether it is a secret of a table of one's own."""

    @property
    def exact_right(self) -> float:
        """The share of right guesses from exact counts."""
        return self._find_right(self.exact)

    @property
    def noisy_right(self) -> float:
        """The share of right guesses from the curator's counts."""
        return self._find_right(self.noisy)

    @property
    def bound(self) -> float:
        """The share that no attacker exceeds on average."""
        return bound_right_guesses(self.epsilon, 0.0, self.neighbours)

    @property
    def standard_error(self) -> float:
        """How far the share of right guesses is off by chance where the bound is reached: targets are independent."""
        return math.sqrt(self.bound * (1 - self.bound) / len(self.has))

    def _find_right(self, differences: Ints) -> float:
        return float(np.mean((differences >= 1) == self.has))

    def __str__(self) -> str:
        targets = len(self.has)
        exact, noisy = round(self.exact_right * targets), round(self.noisy_right * targets)
        lines = [
            ("the secret", f"{self.words}; {self.people:,} people, {targets:,} targets drawn by a fair coin"),
            ("the attack", f"{ALL}; then the same AND person <> 17: the difference is person 17"),
            ("exact counts", f"{write_share(exact, targets)} guesses are right"),
            (
                "the curator",
                f"{write_share(noisy, targets)} are right, at epsilon {self.epsilon:g} for both questions about a "
                f"target ({self.neighbours} neighbours)",
            ),
            (
                "no attacker",
                f"is right more often than {write_percent(self.bound)} on average; by chance this share is off by "
                f"{write_percent(2 * self.standard_error)} in one run of twenty",
            ),
        ]
        return write_findings("Differencing: two counts that differ in one person", lines, [EXACT] * self.own)

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "attack": "differencing",
            "secret": self.words,
            "people": self.people,
            "targets": len(self.has),
            "epsilon": self.epsilon,
            "neighbours": str(self.neighbours),
            "exact_right": self.exact_right,
            "curator_right": self.noisy_right,
            "bound": self.bound,
            "standard_error": self.standard_error,
            "charged": self.charged,
            **({"for": EXACT} if self.own else {}),
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the differences of both sides, by whether the target has the secret; saved where a path is given."""
        sides = [
            (f"{name}: {write_percent(right)} of the guesses are right", differences)
            for name, right, differences in (
                ("exact counts", self.exact_right, self.exact),
                ("the curator's", self.noisy_right, self.noisy),
            )
        ]
        below = (
            f"Two counts of {self.words} that differ in one person, for {write_count(len(self.has), 'target')} of "
            f"{self.people:,} people. At epsilon {self.epsilon:g} no "
            f"attacker is right more often than {write_percent(self.bound)} on average ({self.neighbours} neighbours)."
        )
        return draw_differences(sides, self.has, write_caption(below, self.own), None if path is None else Path(path))


def difference(
    secret: Secret | None = None,
    *,
    targets: int = 100,
    epsilon: float = 1.0,
    neighbours: str = Neighbours.REPLACE,
    seed: int | None = None,
) -> Differencing:
    """Attack so many people by two counts each, exact ones and those of a curator with a durable ledger.

    Half of epsilon is for each count. Targets are repetitions of one attack: the first count is paid for anew for each,
    so the ledger's budget is epsilon for every target, and a guess about one uses what was asked about this one alone.
    """
    check_epsilon(epsilon)
    check.integer("targets", targets, least=1, most=MOST_TARGETS)
    relation = Neighbours.named(neighbours)
    chance = np.random.default_rng(seed)
    found = make_secret(200, chance) if secret is None else check_secret(secret)
    places = found.draw(targets, chance, again=True)
    exact = np.array([np.count_nonzero(found.bits) - np.count_nonzero(np.delete(found.bits, each)) for each in places])
    noisy = []
    with guard_secrets(found.bits, 1.01 * targets * epsilon, relation) as curator:
        first = curator.prepare(ALL, epsilon / 2)
        for place in places:
            everybody = first.ask(fresh=True).value
            others = curator.ask(OTHERS.format(int(place)), epsilon / 2, fresh=True).value
            noisy.append(int(str(everybody)) - int(str(others)))
        share, cap = curator.budget.total.parts["epsilon"]
    sides = (found.bits[places], exact, np.array(noisy))
    asked = (found.words, len(found.bits), float(epsilon), relation)
    return Differencing(*asked, *sides, share * cap, own=secret is not None)
