"""The sparse vector technique: many questions, paid for only when an answer is above a threshold."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from flint import arb

from discreet import noise
from discreet.base import check
from discreet.base.errors import ExhaustedError, ParameterError
from discreet.base.grid import Grid, declared
from discreet.base.rounding import ball, float_up, ratio_up, rounded_up
from discreet.base.wide import integers
from discreet.mechanisms.additive import fitting_scale, whole_sensitivity
from discreet.mechanisms.selection import refuse_monotone_replace
from discreet.mechanisms.sensitivity import on_grid_l1
from discreet.noise.laplace import scale_in_range
from discreet.privacy import Loss, Neighbours, PureLoss


@dataclass(frozen=True)
class SparseVector:
    """Says of one question after another whether its noisy value is at least the noisy threshold, `cutoff` times yes.

    Theorem (Lyu, Su, Li 2017, Theorem 2, for Algorithm 1; Theorem 3 for monotone questions): with one noisy threshold
    and questions of sensitivity d the whole run is epsilon-differentially private for
    epsilon = d / threshold_scale + cutoff * 2d / question_scale, or d / question_scale each where all questions move in
    the same direction when a unit is added. "No" is free: raising the threshold's noise by d keeps every "no" on the
    neighbour, and raising a "yes" question's own noise by 2d keeps that "yes"; discrete Laplace noise is
    e^-(shift/scale) as likely there. With `redraw` the threshold is drawn anew after each "yes" (Dwork, Roth 2014,
    Algorithm 2), so the run is `cutoff` runs for one "yes" each and their losses add. A number told with a "yes" has
    fresh noise and costs d / answer_scale each; the noise that decided is never shown, which is what makes the
    variants published as Algorithms 3 to 6 wrong.
    """

    threshold_scale: float
    question_scale: float
    cutoff: int = 1
    answer_scale: float | None = None
    redraw: bool = False
    monotone: bool = False
    grid: Grid | None = None

    def __post_init__(self) -> None:
        for name in ("threshold_scale", "question_scale"):
            object.__setattr__(self, name, float_up(scale_in_range(name, getattr(self, name))))
        if self.answer_scale is not None:
            object.__setattr__(self, "answer_scale", float_up(scale_in_range("answer_scale", self.answer_scale)))
        object.__setattr__(self, "cutoff", check.integer("cutoff", self.cutoff, least=1))
        check.flag("redraw", self.redraw)
        check.flag("monotone", self.monotone)
        declared(self.grid)

    @classmethod
    def calibrate(
        cls,
        epsilon: float,
        cutoff: int = 1,
        sensitivity: float = 1,
        *,
        answers: float = 0,
        redraw: bool = False,
        monotone: bool = False,
        grid: Grid | None = None,
        neighbours: str = Neighbours.ADD_REMOVE,
    ) -> SparseVector:
        """Return a run that is epsilon-differentially private as a whole.

        `answers` is the share of epsilon kept for telling numbers with each "yes" (0: tell none). The rest is split
        between threshold and questions 1 : (2c)^(2/3), or 1 : c^(2/3) if monotone, which is best for one threshold;
        with `redraw`, c = 1 in each of the `cutoff` runs.
        """
        total = Fraction(check.positive("epsilon", epsilon))
        share = Fraction(check.real("answers", answers, least=0, below=1))
        count = check.integer("cutoff", cutoff, least=1)
        check.flag("redraw", redraw)
        check.flag("monotone", monotone)
        refuse_monotone_replace(monotone, neighbours)
        declared(grid)
        steps = _steps(sensitivity, grid)
        runs = count if redraw else 1
        reach = (count // runs) * (1 if monotone else 2)
        ratio = Fraction(float(reach) ** (2 / 3))
        deciding = total * (1 - share) / runs
        return cls(
            threshold_scale=fitting_scale(ratio_up(steps * (1 + ratio), deciding), "epsilon", epsilon),
            question_scale=fitting_scale(ratio_up(reach * steps * (1 + ratio), deciding * ratio), "epsilon", epsilon),
            cutoff=count,
            answer_scale=fitting_scale(ratio_up(count * steps, total * share), "epsilon", epsilon) if share else None,
            redraw=redraw,
            monotone=monotone,
            grid=grid,
        )

    def loss(self, sensitivity: float, neighbours: str = Neighbours.ADD_REMOVE) -> Loss:
        """Return the loss of the whole run, however many questions it answers."""
        refuse_monotone_replace(self.monotone, neighbours)
        steps = _steps(sensitivity, self.grid)
        threshold = Fraction(steps) / Fraction(self.threshold_scale)
        question = Fraction(steps if self.monotone else 2 * steps) / Fraction(self.question_scale)
        answer = Fraction(steps) / Fraction(self.answer_scale) if self.answer_scale else Fraction(0)
        times = self.cutoff if self.redraw else 1
        return PureLoss(times * threshold + self.cutoff * (question + answer))

    def start(self) -> SparseVectorRun:
        """Begin a run: the one object that may answer, with its own secret threshold noise."""
        return SparseVectorRun(self)

    def release(self, values: Any, threshold: Any) -> list[Any]:
        """Answer a list of questions until the cutoff: the answers up to and with the last "yes" allowed."""
        if not isinstance(values, Iterable):
            raise ParameterError.of_data("values", values, "a list of numbers")
        asked = [self.steps("values", value) for value in values]
        level = self.steps("threshold", threshold)
        run = self.start()
        answers: list[Any] = []
        for steps in asked:
            if run.left == 0:
                break
            answers.append(run.decide(steps, level))
        return answers

    def steps(self, name: str, value: Any) -> int:
        """Return one value as a whole number of grid steps."""
        steps = self.grid.snap(value) if self.grid else integers(name, value)
        if not isinstance(steps, int):
            raise ParameterError.of_data(name, value, "one number at a time")
        return steps

    def accuracy(self, confidence: float, questions: int) -> float:
        """Return a margin that no answer of `questions` misses, with this confidence = 1 - beta.

        A value above threshold + margin is a "yes" and one below threshold - margin a "no": the n threshold noises, and
        the n question noises, exceed scale * ln(2 n / beta), rounded up, with probability beta / 2 in all.
        """
        asked = check.integer("questions", questions, least=1)
        miss = 1 - Fraction(check.confidence(confidence))
        drawn = self.cutoff if self.redraw else 1

        def margin() -> arb:
            near = ball(self.threshold_scale) * (2 * drawn / ball(miss)).log() + 1
            return near + ball(self.question_scale) * (2 * asked / ball(miss)).log() + 1

        steps = rounded_up(margin)
        return ratio_up(Fraction(steps) * self.grid.step, 1) if self.grid else steps


class SparseVectorRun:
    """A sparse vector run in progress: answers until it has said "yes" `cutoff` times.

    It holds the secret threshold noise, so there is one of it: it cannot be copied or pickled, it answers in the
    process that started it only, and one question at a time.
    """

    def __init__(self, mechanism: SparseVector) -> None:
        self._mechanism = mechanism
        self._noise = _draw(mechanism.threshold_scale)
        self._left = mechanism.cutoff
        self._process = os.getpid()
        self._lock = threading.Lock()

    @property
    def left(self) -> int:
        """How many times the run may still say "yes"."""
        return self._left

    def ask(self, value: Any, threshold: Any) -> Any:
        """Say whether the noisy value is at least the noisy threshold: True or False.

        Where numbers are told, a "yes" is the value with fresh noise and a "no" is None.
        """
        mechanism = self._mechanism
        return self.decide(mechanism.steps("value", value), mechanism.steps("threshold", threshold))

    def decide(self, asked: int, level: int) -> Any:
        """Answer for a value and a threshold that are whole numbers of steps already."""
        mechanism = self._mechanism
        if self._process != os.getpid():
            raise ExhaustedError("this run belongs to the process that started it; start another here and pay for it")
        with self._lock:
            if self._left <= 0:
                raise ExhaustedError(f"this run has said yes {mechanism.cutoff} times; start another and pay for it")
            if asked + _draw(mechanism.question_scale) < level + self._noise:
                return False if mechanism.answer_scale is None else None
            self._left -= 1
            if mechanism.redraw:
                self._noise = _draw(mechanism.threshold_scale)
        if mechanism.answer_scale is None:
            return True
        told = asked + _draw(mechanism.answer_scale)
        return mechanism.grid.value(told) if mechanism.grid else told

    def __reduce__(self) -> str:
        raise TypeError("a sparse vector run cannot be copied or pickled: its copies would answer unpaid")


def _draw(scale: float) -> int:
    return int(noise.discrete_laplace(scale, (), wide=True).item())


def _steps(sensitivity: float, grid: Grid | None) -> int:
    return on_grid_l1(sensitivity, grid) if grid else whole_sensitivity(sensitivity)
