"""Meters: what a run has drawn so far, held against what was declared, before anything is drawn."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from fractions import Fraction

from discreet.base.errors import OperationError
from discreet.curator.door.schedule import Schedule, covers
from discreet.privacy import GaussianLoss, Loss, PureLoss, ZcdpLoss
from discreet.privacy.amounts import read_decimal
from discreet.privacy.charges import Charge
from discreet.query.cost import NOTHING, add_charges, fits_within


class Meter(ABC):
    """Admits draws, or refuses them before they are made."""

    checkpoint = 1
    """After how many draws results are journaled."""

    @abstractmethod
    def admit(self, cost: Charge, loss: Loss) -> None:
        """Count one draw, or raise where it is not covered."""


class ChargeMeter(Meter):
    """Admits draws while the sums of epsilon, of rho and of delta all stay within the declared charge.

    Inside a run the budget filter's "either sum" would make both declared numbers untrue: a charge says that the run is
    epsilon-differentially private *and* rho-zCDP, with its delta. Each sum is valid for draws that are chosen on the
    way: pointwise for epsilon (Rogers, Roth, Ullman, Vadhan 2016), for rho and delta by Whitehouse, Ramdas, Rogers,
    Wu 2023, Theorem 1.
    """

    def __init__(self, charge: Charge) -> None:
        self._charge, self._spent = charge, NOTHING

    def admit(self, cost: Charge, loss: Loss) -> None:
        """Count one draw, or raise where the charge does not cover it."""
        total = add_charges(self._spent, cost)
        if not fits_within(total, self._charge):
            raise OperationError(
                f"the draws of this operation cost {_describe(total)}, and it declared {_describe(self._charge)}; "
                "declare all that it draws"
            )
        self._spent = total


class GaussianMeter(ChargeMeter):
    """Admits draws of Gaussian noise alone, while the sum of mu^2 / 2 stays within that of the declared mu.

    Such draws are together one Gaussian mechanism with that mu, also where each is chosen after the ones before (Smith,
    Thakurta 2022; Koskela, Tobaben, Honkela 2023): more than their rho says.
    """

    def __init__(self, mu: Fraction) -> None:
        super().__init__(Charge(math.inf, mu**2 / 2, Fraction(0)))

    def admit(self, cost: Charge, loss: Loss) -> None:
        """Count one draw, or raise where its noise is not Gaussian, or mu does not cover it."""
        if not isinstance(loss, GaussianLoss):
            raise OperationError(f"a GaussianLoss was declared, and this draw has {loss!r}: declare a ZcdpLoss")
        super().admit(cost, loss)


def make_loss_meter(loss: Loss) -> Meter:
    """Return a meter for draws that may lose so much together, however they are chosen; no draw may have a delta."""
    if isinstance(loss, GaussianLoss):
        return GaussianMeter(read_decimal(loss.mu))
    if isinstance(loss, ZcdpLoss):
        return ChargeMeter(Charge(math.inf, read_decimal(loss.rho), Fraction(0)))
    if isinstance(loss, PureLoss):
        return ChargeMeter(Charge(read_decimal(loss.epsilon_), math.inf, Fraction(0)))
    raise OperationError(f"draws are metered by a GaussianLoss, a ZcdpLoss or a PureLoss, not by {loss!r}")


class ScheduleMeter(Meter):
    """Admits each draw if it loses no more than the schedule says for its place."""

    def __init__(self, schedule: Schedule, charge: Charge) -> None:
        if not fits_within(schedule.charge, charge):
            raise OperationError(
                f"the schedule of this operation costs {_describe(schedule.charge)}, and it declared "
                f"{_describe(charge)}; declare its schedule's charge"
            )
        self.checkpoint = schedule.checkpoint
        self._schedule, self._position = schedule, 0

    def admit(self, cost: Charge, loss: Loss) -> None:
        """Tick off one draw, or raise where the schedule has another one here, or none."""
        declared = self._schedule.find_loss(self._position)
        if not covers(declared, loss):
            raise OperationError(f"draw {self._position} loses {loss!r}, and the schedule declared {declared!r}")
        self._position += 1


def _describe(charge: Charge) -> str:
    return f"epsilon {float(charge.epsilon):.6g}, rho {float(charge.rho):.6g}, delta {float(charge.delta):.6g}"
