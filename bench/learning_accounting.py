"""What three published private trainings cost: as reported, by dp-accounting's PLD accountant, and certified here.

The settings are those of Opacus' MNIST example: 60,000 examples, batches of 240 by Poisson sampling, delta 1e-5.
`bench/learning.py accounting` writes it, in the environment of `bench/learning.txt`.
"""

from __future__ import annotations

import importlib
from dataclasses import dataclass

from discreet.privacy import GaussianLoss, SampledLoss
from timing import markdown

DELTA = 1e-5
BATCH, SIZE = 240, 60_000
OF_REPORTED, OF_BEST = 0.80, 1.001


@dataclass(frozen=True)
class PublishedRun:
    """Noise multiplier, epochs, and the epsilon that the authors report."""

    multiplier: float
    epochs: int
    reported: float

    @property
    def steps(self) -> int:
        """Steps in all."""
        return self.epochs * SIZE // BATCH


RUNS = (PublishedRun(1.3, 15, 1.16), PublishedRun(1.1, 60, 2.91), PublishedRun(0.7, 45, 6.86))


def find_ours(run: PublishedRun) -> float:
    loss = SampledLoss(GaussianLoss(1 / run.multiplier), BATCH / SIZE) * run.steps
    return float(loss.epsilon(DELTA).high)


def find_best(run: PublishedRun) -> float:
    """Return what dp-accounting's PLD accountant says, at its default discretisation."""
    dp_event = importlib.import_module("dp_accounting.dp_event")
    pld_privacy_accountant = importlib.import_module("dp_accounting.pld.pld_privacy_accountant")
    event = dp_event.PoissonSampledDpEvent(BATCH / SIZE, dp_event.GaussianDpEvent(run.multiplier))
    accountant = pld_privacy_accountant.PLDAccountant()
    accountant.compose(dp_event.SelfComposedDpEvent(event, run.steps))
    return float(accountant.get_epsilon(DELTA))


def compare_accounting(_: int) -> str:
    """Return a table of epsilons."""
    lines, met = [], True
    for run in RUNS:
        ours, best = find_ours(run), find_best(run)
        shares = ours / run.reported, ours / best
        met &= shares[0] <= OF_REPORTED and shares[1] <= OF_BEST
        numbers = [f"{run.reported}", f"{best:.4f}", f"{ours:.4f}", f"{shares[0]:.3f}", f"{shares[1]:.4f}"]
        lines.append([f"{run.multiplier}", f"{run.epochs}", *numbers])
    header = ["noise", "epochs", "reported", "dp-accounting", "certified", "of reported", "of dp-accounting"]
    asked = f"Asked: at most {OF_REPORTED} of the reported, {OF_BEST} of the best: {'met' if met else 'MISSED'}."
    return f"{markdown(header, lines)}\n\n{asked}"
