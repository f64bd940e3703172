"""Fixed schedules: the loss of every draw is declared first, certified as a whole, and ticked off draw by draw.

Theorem (Zhu, Dong, Wang 2022, Theorem 10): if the i-th mechanism, whatever was seen before, loses no more than the
i-th loss of a list that is fixed in advance, then the whole loses no more than their composition. So an operation whose
list is fixed may be charged what the accountant certifies for all of it, though each query may depend on earlier
results. Where the losses themselves are chosen on the way, only a meter of sums is valid.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

from discreet.base import check
from discreet.base.errors import OperationError, ParameterError
from discreet.privacy import ApproximateLoss, GaussianLoss, Loss, PureLoss
from discreet.privacy.charges import Charge, charge_of


@dataclass(frozen=True)
class Schedule:
    """The losses of all draws, in order, as (loss, how many in a row), and the delta at which they are certified.

    `checkpoint` is after how many draws they are journaled together: a run that dies loses those since, and draws them
    anew; nobody has seen them but the run that died.
    """

    losses: tuple[tuple[Loss, int], ...]
    delta: float
    checkpoint: int = 1

    def __post_init__(self) -> None:
        check.real("delta", self.delta, above=0, below=1)
        check.integer("checkpoint", self.checkpoint, least=1)
        if not self.losses:
            raise ParameterError("losses", self.losses, "at least one loss")
        for _, count in self.losses:
            check.integer("count", count, least=1)

    @property
    def draws(self) -> int:
        """How many draws there are in all."""
        return sum(count for _, count in self.losses)

    @cached_property
    def charge(self) -> Charge:
        """What the whole schedule costs: the certified (epsilon, delta), and its approximate zCDP."""
        (first, count), *rest = self.losses
        total = first * count
        for loss, times in rest:
            total = total + loss * times
        return charge_of(ApproximateLoss(Fraction(total.epsilon(self.delta).high), self.delta))

    def find_loss(self, position: int) -> Loss:
        """Return the loss that the draw at this position, counted from 0, may have at most."""
        for loss, count in self.losses:
            if position < count:
                return loss
            position -= count
        raise OperationError(f"the schedule has {self.draws} draws, and one more was asked for")


def covers(declared: Loss, drawn: Loss) -> bool:
    """Say whether a draw loses no more than was declared for it: the same loss, or a smaller one of the same kind."""
    if declared == drawn:
        return True
    if isinstance(declared, GaussianLoss) and isinstance(drawn, GaussianLoss):
        return drawn.mu <= declared.mu
    return isinstance(declared, PureLoss) and drawn.pure <= declared.pure
