"""What a test returns: a p-value that is valid under the noise, effect sizes, and what they cost."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from discreet.answers import Receipt
from discreet.base.showing import ShownAsText
from discreet.robust.asking import PaidQuestion
from discreet.robust.intervals.means import NUISANCE
from discreet.robust.results import (
    CLAMPING,
    NOT_COVERED,
    TOO_FEW_TO_TEST,
    SampledGroup,
    list_cost,
    render_facts,
    write_facts,
)
from discreet.robust.testing.contingency import COUNT_MISS, DRAWS
from discreet.robust.testing.effects import EffectSize

LEAST = 1e-9
"""No smaller p-value is told."""

SIMULATED = COUNT_MISS + 1 / (1 + DRAWS)
"""The same where the null is simulated: one simulation more than all, and what the number of people may miss."""

SIMULATED_LAWS = 1 / (1 + DRAWS) / (1 - NUISANCE)
"""The same where laws of errors are simulated, and a part of each p-value is for what they rest on."""

HALVINGS = 30

CLOSE = 1e-6
"""How far, relatively, halving may leave a p-value above the least."""

VALID = (
    "if what is tested were true, a p-value of 5 % or less would come out in at most 5 % of samples, sampling and "
    "noise together: the noise is a part of what the null is taken to be"
)


@dataclass(frozen=True, repr=False)
class PopulationTest(ShownAsText):
    """A test about the population that the people were drawn from. `enough` is False where too few people are there."""

    what: str
    null: str
    """What is tested, in words."""
    p_value: float
    effects: tuple[EffectSize, ...]
    groups: tuple[SampledGroup, ...]
    enough: bool
    clamped: str | None
    notes: tuple[str, ...]
    paid: PaidQuestion
    least: float = LEAST
    """The smallest p-value that this test can tell."""

    @property
    def receipt(self) -> Receipt:
        """The receipt of the one charge."""
        return self.paid.receipt

    def list_facts(self) -> list[tuple[str, str]]:
        """Return what is shown below the p-value: labels and words."""
        bias = "" if self.clamped is None else CLAMPING.format(self.clamped)
        return [
            ("tested", self.null),
            *(("effect", str(each)) for each in self.effects if self.enough),
            ("valid", VALID),
            ("not covered", NOT_COVERED.format(bias)),
            *(("people", str(each)) for each in self.groups),
            *list_cost(self.paid),
            *(("note", note) for note in (*self.notes, *self.paid.remarks)),
        ]

    @property
    def verdict(self) -> str:
        """The p-value in words."""
        if not self.enough:
            return TOO_FEW_TO_TEST
        if self.p_value <= self.least * (1 + CLOSE):
            return f"p <= {self.least:.2g}, the smallest p-value that this test can tell"
        return f"p = {self.p_value:.3g}"

    def __str__(self) -> str:
        return write_facts(self.what, self.verdict, self.list_facts())

    def _repr_html_(self) -> str:
        return render_facts(self.what, self.verdict, self.list_facts())

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "what": self.what,
            "null": self.null,
            "p_value": self.p_value,
            "least_p_value": self.least,
            "enough": self.enough,
            "effects": [each.to_dict() for each in self.effects],
            "people": [each.to_dict() for each in self.groups],
            "guarantee": self.paid.guarantee,
            "receipt": self.receipt.to_dict(),
            "question": self.paid.question,
            "notes": [*self.notes, *self.paid.remarks],
        }


def find_p_value(rejects: Callable[[float], bool]) -> float:
    """Return the least size at which a test rejects: that of a test with any size, which rejects more at a larger one.

    So p-values and intervals say the same: a value is outside the interval of confidence 1 - p and of all wider misses.
    """
    if not rejects(0.999):
        return 1.0
    low, high = LEAST, 0.999
    if rejects(low):
        return low
    for _ in range(HALVINGS):
        middle = (low * high) ** 0.5
        low, high = (low, middle) if rejects(middle) else (middle, high)
    return high
