"""The best of several settings, from a curator: `fit_best(curator, "logistic", "visits", settings=[...])`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from discreet.base.errors import ParameterError
from discreet.curator import Curator
from discreet.curator.session import Session, Watch
from discreet.learn.allowance import read_gaussian_allowance, read_try_allowance
from discreet.learn.choosing import CHANCE, BestTraining, Setting, read_settings, read_tries
from discreet.learn.from_table import choose_delta, plan_training
from discreet.learn.kinds import KINDS
from discreet.learn.linear_learners import DescentLearner
from discreet.learn.models.linear_model import LinearModel


def fit_best(
    curator: Curator | Session,
    model: str,
    table: str,
    *,
    target: str,
    settings: Sequence[Setting | Mapping[str, Any]],
    features: Iterable[str] | None = None,
    bins: Mapping[str, int | Sequence[Any]] | None = None,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    tries: int | None = None,
    max_rows: int | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> LinearModel:
    """Return the model of the best of several settings: what `fit` does, several times, of which one is ever seen.

    A setting has some of `features`, `bins` and `patience`; what it has not is as for all. `tries` trainings are made,
    two of each setting if not said otherwise, and each counts by a secret coin. Of those that do, the one with the
    least noisy error on the same rows is the result; `epsilon` pays for all of it (`privacy/losses/best_of.py`).
    """
    session = curator if isinstance(curator, Session) else curator.session()
    best = prepare_best_training(
        session,
        model,
        table,
        target=target,
        settings=settings,
        features=features,
        bins=bins,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        tries=tries,
        max_rows=max_rows,
    )
    found, receipt = session.perform(best, best.describe(), fresh=fresh, progress=progress)
    return found.with_receipt(receipt)


def prepare_best_training(
    session: Session,
    model: str,
    table: str,
    *,
    target: str,
    settings: Sequence[Setting | Mapping[str, Any]],
    features: Iterable[str] | None = None,
    bins: Mapping[str, int | Sequence[Any]] | None = None,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    tries: int | None = None,
    max_rows: int | None = None,
) -> BestTraining:
    """Return the operation, or refuse what could not run: nothing is charged."""
    given = read_settings(settings)
    many = read_tries(tries, len(given))
    if model not in KINDS:
        raise ParameterError("model", model, f"one of {', '.join(KINDS)}, which descend")
    delta = choose_delta(session, epsilon, delta)
    whole = read_gaussian_allowance(epsilon, delta, rho)
    named = features if features is None or isinstance(features, str) else list(features)
    planned = [
        plan_training(
            session,
            model,
            table,
            target,
            each.features or named,
            (bins or {}) if each.bins is None else each.bins,
            max_rows,
            whole,
            DescentLearner(KINDS[model], float(each.patience)),
        )
        for each in given
    ]
    allowance, loss = read_try_allowance(epsilon, delta, rho, many, CHANCE)
    trainings = tuple(replace(training, allowance=allowance) for training in planned)
    best = BestTraining(trainings, tuple(map(str, given)), loss)
    best.rehearse()
    return best
