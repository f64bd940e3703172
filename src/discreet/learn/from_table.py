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
from discreet.gradients.minimum import MOST_STEPS
from discreet.gradients.objective import MOST_RIDGE, MOST_UNITS, LinearObjective
from discreet.learn.allowance import read_gaussian_allowance, read_zcdp_allowance
from discreet.learn.descent import COUNT_SHARE, STEPS
from discreet.learn.features import find_features, write_features
from discreet.learn.kinds import find_kind
from discreet.learn.linear_model import LinearModel
from discreet.learn.perturbation import check_method, plan_minimum
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
    method: str = "descent",
    fresh: bool = False,
    progress: Watch | None = None,
) -> LinearModel:
    """Return a linear model of a private table, paid for like any question.

    `model` is logistic, svc, huber or poisson. `target` is a column with public values or bounds, or an SQL
    expression; `features` are columns or SQL expressions, or all that have public values or bounds. `bins` makes
    categories of a number: a weight for each bin. `delta` is the policy's own for one question, if none is given.
    `method` is descent, or output or objective: noise on the minimum of a loss with a ridge, or on what is minimised.
    The same again is free; `fresh` pays for new noise.
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
        method=method,
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
    method: str = "descent",
) -> Training:
    """Return the operation, or refuse what could not run: nothing is charged."""
    kind = find_kind(model)
    resolved = session.tables[table]
    if resolved.table.public:
        raise ParameterError("table", resolved.table.name, "a private one: a public table can be read as it is")
    if epsilon is not None and delta is None:
        delta = find_delta(session)
    read = read_zcdp_allowance if method == "objective" else read_gaussian_allowance
    allowance = read(epsilon, delta, rho)
    wanted: Target
    if kind.predicts == "classes":
        wanted = find_class_target(resolved, target)
    else:
        wanted = find_number_target(session, resolved, target, kind.predicts == "count")
    columns = find_features(session, resolved, features, bins or {}, find_names(resolved, target))
    if target in [column.name for column in columns]:
        raise ParameterError("features", target, "columns other than the target")
    parameters: dict[str, Any] = {}
    sql = write_features(resolved.table.name, columns, wanted.write_value(parameters), parameters)
    plan = session.plan_rows(sql, parameters, max_rows)
    if len(plan.columns) != len(columns) + 1:
        raise ParameterError("features", [column.name for column in columns], "expressions that are one column each")
    training = Training(plan, resolved.table.name, model, columns, wanted, allowance, method)
    check_training(training)
    return training


def check_training(training: Training) -> None:
    """Refuse what would fail after the charge: all of it follows from public facts."""
    gradients, plan, method = training.gradients, training.plan, training.method
    check_method(method, gradients)
    check_time(plan, gradients, STEPS if method == "descent" else MOST_STEPS)
    widest = replace(gradients, clip=max(FEATURE_STEPS, ceil(gradients.longest * plan.rows**0.5)))
    rest = training.allowance.take(1 - COUNT_SHARE)
    try:
        rest.take(COUNT_SHARE / STEPS).make_noise(plan.factor * max(widest.clip, plan.rows))
        if method != "descent":
            for units in (1, MOST_UNITS):
                draft = LinearObjective(widest, gradients.residual.longest, MOST_RIDGE, units)
                plan_minimum(draft, rest, method, plan.rows, plan.factor)
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
