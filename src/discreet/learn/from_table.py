"""A model from a curator: `fit(curator, "logistic", "visits", target="readmitted", epsilon=1)`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from math import ceil
from typing import Any

from sqlglot import exp

from discreet.base.errors import ParameterError
from discreet.curator import Curator
from discreet.curator.door.gradients import check_time
from discreet.curator.session import Session, Watch
from discreet.gradients.encoding import FEATURE_STEPS
from discreet.learn.allowance import GaussianAllowance, read_gaussian_allowance, read_try_allowance
from discreet.learn.choosing import CHANCE, SCORE_SHARE, BestTraining, Setting, read_settings, read_tries
from discreet.learn.descent import COUNT_SHARE, STEPS
from discreet.learn.features import find_features, write_features
from discreet.learn.kinds import find_kind
from discreet.learn.linear_model import LinearModel
from discreet.learn.targets import Target, find_class_target, find_number_target
from discreet.learn.training import Training
from discreet.policy.schema import Resolved
from discreet.query.parse import parse_condition


def fit(
    curator: Curator | Session,
    model: str,
    table: str,
    *,
    target: str,
    features: Iterable[str] | None = None,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    bins: Mapping[str, int | Sequence[Any]] | None = None,
    max_rows: int | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
) -> LinearModel:
    """Return a linear model of a private table, paid for like any question.

    `model` is logistic, svc, huber or poisson. `target` is a column with public values or bounds, or an SQL
    expression; `features` are columns or SQL expressions, or all that have public values or bounds. `bins` makes
    categories of a number: a weight for each bin. `delta` is the policy's own for one question, if none is given. The
    same again is free; `fresh` pays for new noise.
    """
    session = curator if isinstance(curator, Session) else curator.session()
    training = prepare_training(
        session,
        model,
        table,
        target=target,
        features=features,
        epsilon=epsilon,
        delta=delta,
        rho=rho,
        bins=bins,
        max_rows=max_rows,
    )
    found, receipt = session.perform(training, training.describe(), fresh=fresh, progress=progress)
    return found.with_receipt(receipt)


def prepare_training(
    session: Session,
    model: str,
    table: str,
    *,
    target: str,
    features: Iterable[str] | None = None,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    bins: Mapping[str, int | Sequence[Any]] | None = None,
    max_rows: int | None = None,
) -> Training:
    """Return the operation, or refuse what could not run: nothing is charged."""
    if epsilon is not None and delta is None:
        delta = find_delta(session)
    allowance = read_gaussian_allowance(epsilon, delta, rho)
    training = _prepare(session, model, table, target, features, bins or {}, max_rows, allowance)
    check_training(training)
    return training


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
    if epsilon is not None and delta is None:
        delta = find_delta(session)
    whole = read_gaussian_allowance(epsilon, delta, rho)
    named = features if features is None or isinstance(features, str) else list(features)
    trainings = []
    for each in given:
        own, shared = each.features or named, (bins or {}) if each.bins is None else each.bins
        trainings.append(_prepare(session, model, table, target, own, shared, max_rows, whole))
    allowance, loss = read_try_allowance(epsilon, delta, rho, many, CHANCE)
    for training in trainings:
        check_training(replace(training, allowance=allowance.take(1 - SCORE_SHARE)), many)
    patient = (
        replace(training, allowance=allowance, patience=float(each.patience))
        for training, each in zip(trainings, given, strict=True)
    )
    return BestTraining(tuple(patient), tuple(map(str, given)), loss)


def _prepare(
    session: Session,
    model: str,
    table: str,
    target: str,
    features: Iterable[str] | None,
    bins: Mapping[str, int | Sequence[Any]],
    max_rows: int | None,
    allowance: GaussianAllowance,
) -> Training:
    kind = find_kind(model)
    resolved = session.tables[table]
    if resolved.table.public:
        raise ParameterError("table", resolved.table.name, "a private one: a public table can be read as it is")
    wanted: Target
    if kind.predicts == "classes":
        wanted = find_class_target(resolved, target)
    else:
        wanted = find_number_target(session, resolved, target, kind.predicts == "count")
    columns = find_features(session, resolved, features, bins, find_names(resolved, target))
    if target in [column.name for column in columns]:
        raise ParameterError("features", target, "columns other than the target")
    parameters: dict[str, Any] = {}
    sql = write_features(resolved.table.name, columns, wanted.write_value(parameters), parameters)
    plan = session.plan_rows(sql, parameters, max_rows)
    if len(plan.columns) != len(columns) + 1:
        raise ParameterError("features", [column.name for column in columns], "expressions that are one column each")
    return Training(plan, resolved.table.name, model, columns, wanted, allowance)


def check_training(training: Training, tries: int = 1) -> None:
    """Refuse what would fail after the charge, or take too long in all tries: all of it follows from public facts."""
    gradients, rows = training.gradients, training.plan.rows
    check_time(training.plan, gradients, STEPS * tries)
    longest = max(FEATURE_STEPS, ceil(gradients.longest * rows**0.5))
    widest = replace(gradients, clip=longest)
    part = training.allowance.take(COUNT_SHARE * (1 - COUNT_SHARE) / STEPS)
    try:
        part.make_noise(training.plan.factor * max(widest.clip, rows))
    except ParameterError:
        raise ParameterError(
            "epsilon", float(training.allowance.rho), "larger: a step would need more noise than can be drawn"
        ) from None


def find_names(resolved: Resolved, target: str) -> frozenset[str]:
    """Return the columns that a target is made of: no features, unless they are asked for."""
    if any(column.name == target for column in resolved.columns):
        return frozenset([target])
    mentioned = (column.name for column in parse_condition(target).find_all(exp.Column))
    return frozenset([target, *mentioned])


def find_delta(session: Session) -> float:
    """Return the policy's delta for one question, or say that there is none."""
    delta = session.question_delta
    if not delta:
        raise ParameterError("delta", None, "given: learning needs Gaussian noise, and the policy has no delta for it")
    return float(delta)
