"""Averaging: one question asked again and again, until its noise averages out.

Where every asking draws noise of its own and nobody counts, ten thousand answers are as good as the truth. A curator
gives its recorded answer again, free; whoever wants new noise pays for it, and the budget ends that.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.audit.attacks.asking import check_epsilon, guard_secrets
from discreet.audit.attacks.people import Secret, check_secret, make_secret
from discreet.audit.attacks.pictures import draw_averages
from discreet.audit.attacks.telling import EXACT, write_caption, write_count, write_findings, write_percent, write_times
from discreet.base import check
from discreet.base.errors import BudgetError, ParameterError
from discreet.base.grid import Floats
from discreet.base.showing import ShownAsText
from discreet.base.wide import Ints
from discreet.mechanisms import Laplace

QUESTION = "SELECT COUNT(*) AS n FROM people WHERE secret"
MOST_TIMES, MOST_FRESH = 100_000, 1_000
"""How often is asked at the most, and how often new noise is paid for: that takes a hundredth of a second each time."""


@dataclass(frozen=True, repr=False)
class Averaging(ShownAsText):
    """All answers to one question: of noise that nobody counts, of the ledger, and new ones until the budget ends."""

    words: str
    truth: int
    epsilon: float
    """Of one answer."""
    budget: float
    uncounted: Ints
    recorded: Ints
    """What the curator answered to the same question, again and again."""
    fresh: Ints
    """What it answered to those who paid for new noise, until it refused or nobody asked any more."""
    refusal: str
    """What the curator said in the end; empty where it was not asked so often that it had to refuse."""
    spent: float
    """The share of the budget that all askings of the recorded answer spent together."""
    fresh_spent: float
    """The share that was spent in the end, with all new answers."""
    own: bool = False
    """Whether it is a secret of a table of one's own."""

    @property
    def uncounted_error(self) -> float:
        """How far the mean of all uncounted answers is from the truth."""
        return abs(float(self.uncounted.mean()) - self.truth)

    @property
    def recorded_error(self) -> float:
        """How far the mean of all recorded answers is from the truth."""
        return abs(float(self.recorded.mean()) - self.truth)

    @property
    def fresh_error(self) -> float:
        """How far the mean of the answers that were paid for is from the truth."""
        return abs(float(self.fresh.mean()) - self.truth)

    def __str__(self) -> str:
        times, asked = len(self.uncounted), len(self.recorded)
        different = len(np.unique(self.recorded))
        lines = [
            ("the question", f"{QUESTION} ({self.words}); the truth is {self.truth:,}"),
            (
                "nobody counts",
                f"{self._tell_uncounted(times)} {self.uncounted.mean():,.2f}, {self.uncounted_error:,.2f} off. "
                f"{'It is' if times == 1 else 'Together they are'} {write_total(times * self.epsilon)}",
            ),
            (
                "the curator",
                f"asked {write_times(asked)}, it gave {write_count(different, 'different answer')}, "
                f"{self.recorded_error:,.2f} off, "
                f"for {write_percent(self.spent)} of the budget",
            ),
            ("new noise", self._tell_fresh(len(self.fresh))),
        ]
        return write_findings("Averaging: the same question again and again", lines, [EXACT] * self.own)

    def _tell_uncounted(self, times: int) -> str:
        if times == 1:
            return f"one answer, at epsilon {self.epsilon:g}:"
        return f"{times:,} answers with noise of their own, each at epsilon {self.epsilon:g}: their mean is"

    def _tell_fresh(self, count: int) -> str:
        answers, mean = write_count(count, "answer"), f"the mean of what was answered is {self.fresh_error:,.2f} off"
        if self.refusal:
            fit = "fits" if count == 1 else "fit"
            return f"{answers} {fit} the budget of epsilon {self.budget:g}; {mean}. Then: {self.refusal}"
        spent = f"{write_percent(self.fresh_spent)} of the budget of epsilon {self.budget:g}"
        return f"{answers} took {spent}; {mean}. Nobody asked for more, so the curator did not have to refuse"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "attack": "averaging",
            "secret": self.words,
            "truth": self.truth,
            "epsilon": self.epsilon,
            "budget": self.budget,
            "times": len(self.uncounted),
            "uncounted_mean": float(self.uncounted.mean()),
            "uncounted_error": self.uncounted_error,
            "curator_asked": len(self.recorded),
            "curator_different_answers": len(np.unique(self.recorded)),
            "curator_error": self.recorded_error,
            "curator_spent": self.spent,
            "fresh_answers": len(self.fresh),
            "fresh_error": self.fresh_error,
            "fresh_spent": self.fresh_spent,
            "refusal": self.refusal,
            **({"for": EXACT} if self.own else {}),
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the mean of all answers so far, for each way to ask; saved where a path is given."""
        ways = [
            ("noise of its own each time, and nobody counts", follow_mean(self.uncounted)),
            ("the curator's recorded answer", follow_mean(self.recorded)),
            (f"new noise, paid for: {write_count(len(self.fresh), 'answer')}", follow_mean(self.fresh)),
        ]
        below = (
            f"One count of {self.words}, the truth {self.truth:,}, at epsilon {self.epsilon:g} for each answer; a "
            f"budget of epsilon {self.budget:g}."
        )
        end = "the budget is spent" if self.refusal else f"{write_percent(self.fresh_spent)} of the budget is spent"
        drawn = write_caption(below, self.own)
        return draw_averages(self.truth, ways, end, drawn, None if path is None else Path(path))


def write_total(epsilon: float) -> str:
    """Return what all answers together promise."""
    if epsilon < 10:
        return f"{epsilon:.3g}-differentially private"
    return f"{epsilon:,.0f}-differentially private, which is nothing"


def average(
    secret: Secret | None = None,
    *,
    times: int = 10_000,
    epsilon: float = 0.1,
    budget: float = 1.0,
    asked: int | None = None,
    seed: int | None = None,
) -> Averaging:
    """Ask how many have the secret so many times: of the bare mechanism, and of a curator with a durable ledger.

    The bare answers are draws of the same exact noise without a ledger. `asked` is how often the curator is asked for
    its recorded answer, where that is not as often. New noise is paid for until the curator refuses, but as often at
    the most, and no more than 1,000 times.
    """
    check_epsilon(epsilon)
    check.integer("times", times, least=1, most=MOST_TIMES)
    repeated = times if asked is None else check.integer("asked", asked, least=1, most=MOST_TIMES)
    check_epsilon(budget, "budget")
    if not epsilon <= budget:
        raise ParameterError("budget", budget, f"at least epsilon, which is {epsilon:g}")
    found = make_secret(1_000, np.random.default_rng(seed)) if secret is None else check_secret(secret)
    truth = int(np.count_nonzero(found.bits))
    uncounted = np.asarray(Laplace.calibrate(epsilon).release(np.full(times, truth)))
    fresh: list[int] = []
    with guard_secrets(found.bits, budget) as curator:
        prepared = curator.prepare(QUESTION, epsilon)
        recorded = np.array([int(str(prepared.ask().value)) for _ in range(repeated)])
        spent = curator.budget.total.spent
        fresh.append(int(recorded[0]))
        refusal = ""
        while not refusal and len(fresh) < min(times, MOST_FRESH):
            try:
                fresh.append(int(str(prepared.ask(fresh=True).value)))
            except BudgetError as trouble:
                refusal = str(trouble)
        fresh_spent = curator.budget.total.spent
    answers = (uncounted, recorded, np.array(fresh))
    ends = (refusal, spent, fresh_spent)
    return Averaging(found.words, truth, float(epsilon), float(budget), *answers, *ends, own=secret is not None)


def follow_mean(answers: Ints) -> Floats:
    """Return the mean of the first answer, of the first two, of the first three and so on."""
    return np.asarray(np.cumsum(answers) / np.arange(1, len(answers) + 1))
