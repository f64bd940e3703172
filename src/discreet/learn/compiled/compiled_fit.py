"""A compiled model from a curator: `fit_compiled(curator, loss, "visits", start=..., target=..., epsilon=1)`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.curator import Curator
from discreet.curator.door.compiled import CompiledDescent
from discreet.curator.session import Session, Watch
from discreet.gradients.compiled.compiled_gradients import CompiledGradients, count_batches
from discreet.gradients.compiled.unit_sums import RowLoss
from discreet.gradients.residuals import RESIDUAL_STEPS
from discreet.learn.allowance import read_gaussian_allowance
from discreet.learn.compiled.compiled_model import CompiledModel
from discreet.learn.compiled.compiled_training import CompiledTraining, SampledTraining
from discreet.learn.compiled.optimisers import Momentum, Optimiser, make_move, start_state
from discreet.learn.compiled.schedule import CLOSE, MOST_REVEALED, plan_schedule
from discreet.learn.from_table import choose_delta, plan_subject
from discreet.learn.kinds import Predicts
from discreet.learn.targets import ClassTarget
from discreet.learn.training import make_encoding
from discreet.mechanisms import Gaussian

PARTS = 20
"""How often the state of a run is journaled, about."""

MOST_SLOTS = 512
"""Units on the device at a time, unless somebody says how many."""


def fit_compiled(
    curator: Curator | Session,
    loss: RowLoss,
    table: str,
    *,
    start: Any,
    target: str,
    features: Iterable[str] | None = None,
    predicts: Predicts = "classes",
    steps: int,
    batch: int | None = None,
    size: int | None = None,
    clip: float = 1.0,
    optimiser: Optimiser | None = None,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    bins: Mapping[str, int | Sequence[Any]] | None = None,
    max_rows: int | None = None,
    physical: int | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> CompiledModel:
    """Return a model written in JAX, trained on a private table at the curator's desk, paid for like any question.

    loss(parameters, (x, y)) is of one row: x its features as floats from -1 to 1, with a 1 at the place of a category;
    y the number of its class, or for `predicts="number"` its number from -1 to 1. `start` is a tree of parameters, or a
    function of how many features and classes there are that returns one. Every step takes each unit with probability
    batch / size, or all units where no batch is given; `size` is a public number of units, by default the policy's.
    The same again is free; `fresh` pays for new noise.
    """
    session = curator if isinstance(curator, Session) else curator.session()
    training = prepare_compiled(
        session,
        loss,
        table,
        start=start,
        target=target,
        features=features,
        predicts=predicts,
        steps=steps,
        batch=batch,
        size=size,
        clip=clip,
        optimiser=optimiser,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        bins=bins,
        max_rows=max_rows,
        physical=physical,
    )
    found, receipt = session.perform(training, training.describe(), fresh=fresh, progress=progress)
    return found.with_receipt(receipt)


def prepare_compiled(
    session: Session,
    loss: RowLoss,
    table: str,
    *,
    start: Any,
    target: str,
    features: Iterable[str] | None = None,
    predicts: Predicts = "classes",
    steps: int,
    batch: int | None = None,
    size: int | None = None,
    clip: float = 1.0,
    optimiser: Optimiser | None = None,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    bins: Mapping[str, int | Sequence[Any]] | None = None,
    max_rows: int | None = None,
    physical: int | None = None,
) -> CompiledTraining:
    """Return the operation, rehearsed, or refuse what could not run: nothing is charged."""
    check.choice("predicts", predicts, ("classes", "number"))
    steps, size = check.integer("steps", steps, least=1), find_size(session, table, size)
    expected = size if batch is None else check.integer("batch", batch, least=1, most=size)
    sampled = expected < size
    delta = find_delta(session, table, epsilon, delta, size, sampled)
    slots = min(MOST_SLOTS, count_batches(expected, 1, sampled)) if physical is None else physical
    plan, subject = plan_subject(session, "compiled", table, predicts, target, features, bins or {}, max_rows)
    if sampled and plan.factor != 1:
        raise ParameterError("batch", batch, "left out under replace neighbours: every step takes all units then")
    if sampled and (rho is not None or epsilon is None):
        raise ParameterError("epsilon", epsilon, "given without rho: a sampled run is certified at a delta")
    encoding = make_encoding(plan, subject)
    classes = len(subject.target.classes) if isinstance(subject.target, ClassTarget) else 0
    chosen = Momentum(0.1) if optimiser is None else optimiser
    state = start_state(chosen, start(encoding.width - 1, classes) if callable(start) else start)
    gradients = CompiledGradients(loss, state[0], encoding, classes, RESIDUAL_STEPS, plan.rows, slots, float(clip))
    if sampled:
        multiplier = plan_schedule(epsilon, delta, steps, expected, size).multiplier
        gradients.prepare()
        noise = Gaussian(multiplier * gradients.grid.steps)
    else:
        allowance = read_gaussian_allowance(epsilon, delta, rho).take(Fraction(1, steps))
        gradients.prepare()
        noise = allowance.make_noise(plan.factor * gradients.grid.steps)
    move, every = make_move(chosen, gradients.grid.length / expected), -(-steps // PARTS)
    descent = CompiledDescent(gradients, move, expected / size, noise, count_batches(expected, slots, sampled))
    training = CompiledTraining(plan, subject, descent, state, steps, every)
    if sampled:
        training = hold_to(SampledTraining(plan, subject, descent, state, steps, every, float(delta)), epsilon)
    training.rehearse()
    return training


def find_size(session: Session, table: str, size: int | None) -> int:
    """Return a public number of units: what somebody states, or what the policy does."""
    declared = session.tables[table].table.size
    if size is None and declared is None:
        raise ParameterError("size", size, "given: a public number of units, since the policy states none")
    return check.integer("size", declared if size is None else size, least=1)


def find_delta(session: Session, table: str, epsilon: Any, delta: Any, size: int, sampled: bool) -> Any:
    """Return the delta that somebody states, if it is small enough, or the policy's for one question.

    A sampled run is charged its delta, and half of the budget's is for such: by default it takes a quarter of one
    question's, so that some runs fit.
    """
    found = choose_delta(session, epsilon, delta)
    if sampled and delta is None and found is not None:
        return found / 4
    largest = max(size, session.tables[table].table.size or 0)
    if found is not None and check.real("delta", found, above=0, below=1) * largest > MOST_REVEALED:
        raise ParameterError("delta", found, f"at most {MOST_REVEALED / largest:.1g}: delta * size stays under .01")
    return found


def hold_to(training: SampledTraining, epsilon: float) -> SampledTraining:
    """Return the training with a little more noise where rounding would certify more than was asked for."""
    while training.charge.epsilon > epsilon:
        descent = training.descent
        louder = replace(descent, noise=Gaussian(descent.noise.sigma * CLOSE))
        training = replace(training, descent=louder)
    return training
