"""What three published private trainings cost: as reported, by dp-accounting's PLD accountant, and certified here.

The settings are those of Opacus' MNIST example: 60,000 examples, batches of 240 by Poisson sampling, delta 1e-5.
Alone: `.venv-peers/bin/python bench/learning_accounting.py`; without dp-accounting the third column is left out.
"""

from __future__ import annotations

from dataclasses import dataclass

from discreet.privacy import GaussianLoss, SampledLoss

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


def find_best(run: PublishedRun) -> float | None:
    """Return what dp-accounting's PLD accountant says, at its default discretisation."""
    try:
        from dp_accounting import dp_event
        from dp_accounting.pld import pld_privacy_accountant
    except ImportError:
        return None
    event = dp_event.PoissonSampledDpEvent(BATCH / SIZE, dp_event.GaussianDpEvent(run.multiplier))
    accountant = pld_privacy_accountant.PLDAccountant()
    accountant.compose(dp_event.SelfComposedDpEvent(event, run.steps))
    return float(accountant.get_epsilon(DELTA))


def main() -> None:
    print("| noise | epochs | reported | best numerical | certified | of reported | of best |")
    print("|---|---|---|---|---|---|---|")
    reached, compared = True, True
    for run in RUNS:
        ours, best = find_ours(run), find_best(run)
        shares = ours / run.reported, None if best is None else ours / best
        reached &= shares[0] <= OF_REPORTED and (shares[1] is None or shares[1] <= OF_BEST)
        compared &= best is not None
        told = ("-", "-") if best is None else (f"{best:.4f}", f"{shares[1]:.4f}")
        row = (run.multiplier, run.epochs, run.reported, told[0], f"{ours:.4f}", f"{shares[0]:.3f}", told[1])
        print("| " + " | ".join(map(str, row)) + " |", flush=True)
    verdict = ("as asked" if compared else "the first as asked, the second not measured") if reached else "MORE"
    print(f"asked: <= {OF_REPORTED} of the reported, <= {OF_BEST} of the best: {verdict}")


if __name__ == "__main__":
    main()
