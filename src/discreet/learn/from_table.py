"""A model from a curator: `fit(curator, "logistic", "visits", target="readmitted", epsilon=1)`."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from sqlglot import exp

from discreet.base.errors import DiscreetError, ParameterError
from discreet.curator import Curator
from discreet.curator.session import Session, Watch
from discreet.learn.allowance import GaussianAllowance
from discreet.learn.features import find_features, write_features
from discreet.learn.kinds import Predicts
from discreet.learn.learner import Learner
from discreet.learn.learners import find_learner
from discreet.learn.models.model import Subject
from discreet.learn.targets import Target, find_class_target, find_number_target
from discreet.learn.training import Training
from discreet.plan.rows_plan import RowsPlan
from discreet.policy.schema import Resolved
from discreet.query.parse import parse_condition

NO_DELTA = (
    "learning needs Gaussian noise, and the policy has no delta for it: its owner writes delta = ... under [budget], "
    "and the size of every private table"
)


def fit(
    curator: Curator | Session,
    model: str,
    table: str,
    *,
    target: str | None = None,
    features: Iterable[str] | None = None,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    bins: Mapping[str, int | Sequence[Any]] | None = None,
    max_rows: int | None = None,
    fresh: bool = False,
    progress: Watch | None = None,
    **settings: Any,
) -> Any:
    """Return a model of a private table, paid for like any question.

    `model` is logistic, svc, huber, poisson, linear, ridge, bayes or stumps, which predict a `target`, or pca or
    kmeans, which have none. A target is a column with public values or bounds, or an SQL expression; `features` are
    columns or SQL expressions, or all that have public values or bounds. `bins` makes categories of a number: a weight
    for each bin. ridge takes `alpha`, pca `components`, kmeans `clusters`; logistic, svc and huber take `method`:
    descent, or one noisy minimum by output or objective perturbation. `delta` is the policy's own for one question, if
    none is given. The same again is free; `fresh` pays for new noise.

    What is returned is one of `discreet.learn.models`: its class follows from the kind.
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
        settings=settings,
    )
    found, receipt = session.perform(training, training.describe(), fresh=fresh, progress=progress)
    return found.with_receipt(receipt)


def prepare_training(
    session: Session,
    model: str,
    table: str,
    *,
    target: str | None = None,
    features: Iterable[str] | None = None,
    epsilon: Any = None,
    delta: Any = None,
    rho: Any = None,
    bins: Mapping[str, int | Sequence[Any]] | None = None,
    max_rows: int | None = None,
    settings: Mapping[str, Any] | None = None,
) -> Training:
    """Return the operation, or refuse what could not run: nothing is charged."""
    learner = find_learner(model, settings or {})
    allowance = learner.read_allowance(epsilon, choose_delta(session, epsilon, delta), rho)
    training = plan_training(session, model, table, target, features, bins or {}, max_rows, allowance, learner)
    training.rehearse()
    return training


def plan_training(
    session: Session,
    model: str,
    table: str,
    target: str | None,
    features: Iterable[str] | None,
    bins: Mapping[str, int | Sequence[Any]],
    max_rows: int | None,
    allowance: GaussianAllowance,
    learner: Learner,
) -> Training:
    """Return the operation, which is to be rehearsed before it is charged."""
    plan, subject = plan_subject(
        session, model, table, learner.predicts, target, features, bins, max_rows, learner.placed
    )
    return Training(plan, subject, learner, allowance)


def plan_subject(
    session: Session,
    model: str,
    table: str,
    predicts: Predicts | None,
    target: str | None,
    features: Iterable[str] | None,
    bins: Mapping[str, int | Sequence[Any]],
    max_rows: int | None,
    placed: bool = False,
) -> tuple[RowsPlan, Subject]:
    """Return the plan of a table's features and target, and what a model of them is of."""
    resolved = session.tables[table]
    if resolved.table.public:
        raise ParameterError("table", resolved.table.name, "a private one: a public table can be read as it is")
    wanted = find_target(session, resolved, model, predicts, target)
    columns = find_features(session, resolved, features, bins, find_names(resolved, target), placed)
    if target in [column.name for column in columns]:
        raise ParameterError("features", target, "columns other than the target")
    parameters: dict[str, Any] = {}
    value = None if wanted is None else wanted.write_value(parameters)
    sql = write_features(resolved.table.name, columns, value, parameters)
    plan = session.plan_rows(sql, parameters, max_rows)
    if len(plan.columns) != len(columns) + (wanted is not None):
        raise ParameterError("features", [column.name for column in columns], "expressions that are one column each")
    return plan, Subject(model, resolved.table.name, columns, wanted)


def find_target(
    session: Session, resolved: Resolved, model: str, predicts: Predicts | None, target: str | None
) -> Target | None:
    """Return what a model predicts, or refuse a target where there is none, and none where there must be one."""
    if predicts is None:
        if target is not None:
            raise ParameterError("target", target, f"left out: {model} predicts nothing")
        return None
    if target is None:
        raise ParameterError("target", None, f"given: what {model} is to predict")
    if not isinstance(target, str) or not target.strip():
        raise ParameterError("target", target, "text: a column, or an SQL expression such as 'cost > 100'")
    if predicts == "classes":
        return find_class_target(resolved, target)
    return find_number_target(session, resolved, target, predicts == "count")


def find_names(resolved: Resolved, target: str | None) -> frozenset[str]:
    """Return the columns that a target is made of: no features, unless they are asked for."""
    if target is None:
        return frozenset()
    if any(column.name == target for column in resolved.columns):
        return frozenset([target])
    mentioned = (column.name for column in parse_condition(target).find_all(exp.Column))
    return frozenset([target, *mentioned])


def choose_delta(session: Session, epsilon: Any, delta: Any) -> Any:
    """Return the delta that somebody states, or the policy's for one question where an epsilon needs one."""
    if not session.budget.total.delta:
        raise DiscreetError(NO_DELTA)
    if epsilon is None or delta is not None:
        return delta
    if not session.question_delta:
        raise ParameterError("delta", None, "given: the policy's question_delta is 0, so none is usual")
    return float(session.question_delta)
