"""A replay case for every operation of the door, and for every kind of report that people's clients make.

Each is a function of a curator, as somebody would write it; an operation that is registered without one fails a test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

from discreet import synthesize
from discreet.audit.graybox import ReplayNeighbours, make_neighbours
from discreet.curator import Curator
from discreet.families import Ranges
from discreet.families.domain import Domain
from discreet.learn import fit, fit_best, fit_compiled
from discreet.policy import loads
from discreet.synthetic import OnlineWeights
from discreet.topdown.measure.measurement import prepare_measurement
from robust.questions import QUESTIONS as ROBUST
from support import clinic
from support.compiled import NETWORK, network_loss
from topdown.measure import small_census

VISITS = clinic.VISITS[:120]

CENSUS = small_census.GEOGRAPHY, small_census.SCHEMA


QUICK = ("without the unit with the most rows", "with unit of extremes")
"""ReplayNeighbours that the quick form of the tests tries."""


@dataclass(frozen=True)
class ReplayCase:
    """One way to perform an operation, the world that it is performed in, and what it needs."""

    name: str
    perform: Callable[[Curator], object]
    world: str = "clinic"
    quick: bool = False
    """Whether it stands for its operation in the quick form of the tests."""

    neighbours: tuple[str, ...] = QUICK
    """Those that the quick form tries."""

    dear: bool = False
    """Whether it takes a second and more of a processor for each database: `make test` leaves it to `make test-all`."""

    needs: str | None = None
    replaces: bool = True
    """Whether there is a form of it for replace neighbours."""


def _sql(question: str, epsilon: float = 0.5, **how: Any) -> Callable[[Curator], object]:
    return lambda curator: curator.ask(question, epsilon, **how)


def _ask_weights(curator: Curator) -> object:
    """Ask the same in turn: answers come from the hypothesis until the watch says that it is off."""
    old, icu = "CASE WHEN age > 60 THEN 1 ELSE 0 END", "CASE WHEN ward = 'icu' THEN 1 ELSE 0 END"
    text = f"SELECT {old} AS old, {icu} AS icu FROM visits"
    family = Ranges(Domain((2, 2)), (0,), (((0, 1),), ((1, 2),)))
    design: dict[str, Any] = {"alpha": 0.1, "beta": 0.01, "rows": 1_000_000, "questions": 5, "updates": 3}
    with OnlineWeights.prepare(curator.session(), text, **design).start() as running:
        return [running.ask(family, group) for group in (0, 1, 0)]


def _count_census(curator: Curator) -> object:
    geography, schema = CENSUS
    session = curator.session()
    operation = prepare_measurement(
        session, table="people", area="block", geography=geography, schema=schema, asked=small_census.list_asked()
    )
    found, receipt = session.perform(operation, operation.describe())
    return [each.values for each in found.read_all()], receipt


def _fit(model: str, **how: Any) -> Callable[[Curator], object]:
    how = {"epsilon": 1, **how}
    return lambda curator: _show(fit(curator, model, "visits", **how))


def _show(model: Any) -> object:
    return model.to_json() if hasattr(model, "to_json") else model


TARGETS: dict[str, Any] = {"target": "cost > 500", "features": ["age", "ward"]}

OPERATIONS: dict[str, tuple[ReplayCase, ...]] = {
    "sql": (
        ReplayCase(
            "counts and sums by ward", _sql("SELECT ward, COUNT(*), SUM(cost) FROM visits GROUP BY ward"), quick=True
        ),
        ReplayCase("keys of the data", _sql("SELECT doctor, COUNT(*) FROM visits GROUP BY doctor", 20.0)),
        ReplayCase("medians", _sql("SELECT ward, MEDIAN(cost), MEDIAN(age) FROM visits GROUP BY ward")),
        ReplayCase("distinct", _sql("SELECT COUNT(DISTINCT patient_id), SUM(DISTINCT age) FROM visits")),
        ReplayCase("a join", _sql("SELECT sex, COUNT(*) FROM visits JOIN patients USING (patient_id) GROUP BY sex")),
        ReplayCase(
            "a choice",
            lambda curator: curator.choose(
                clinic.NAMES, "COUNT(*) FILTER (WHERE ward = $candidate)", 0.5, table="visits"
            ),
        ),
        ReplayCase("the best key", _sql("SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1")),
        ReplayCase("what is left out", _sql("SELECT COUNT(*) FROM visits", left_out="units")),
    ),
    "bounds": (ReplayCase("bounds of a column", lambda curator: curator.bounds("visits.cost", 0.5), quick=True),),
    "synthesis": (
        ReplayCase(
            "all pairs",
            lambda curator: _show(synthesize(curator, "visits", 2, epsilon=1, columns=["ward", "quantity"])),
            quick=True,
        ),
        ReplayCase(
            "single columns",
            lambda curator: _show(synthesize(curator, "visits", 1, epsilon=1, columns=["ward", "quantity"])),
        ),
    ),
    "online weights": (ReplayCase("counts from a hypothesis", _ask_weights, quick=True),),
    "training": (
        ReplayCase("descent", _fit("logistic", **TARGETS)),
        ReplayCase("a noisy minimum", _fit("logistic", method="output", **TARGETS)),
        ReplayCase("a pushed objective", _fit("logistic", method="objective", **TARGETS)),
        ReplayCase("sums of products", _fit("linear", target="cost", features=["age", "quantity"]), quick=True),
        ReplayCase("naive Bayes", _fit("bayes", **TARGETS)),
        ReplayCase("clusters", _fit("kmeans", features=["age", "cost"])),
        ReplayCase("stumps", _fit("stumps", **TARGETS)),
    ),
    "best training": (
        ReplayCase(
            "two settings",
            lambda curator: _show(
                fit_best(
                    curator, "logistic", "visits", settings=[{}, {"bins": {"age": 11}}], tries=2, epsilon=4, **TARGETS
                )
            ),
            quick=True,
            neighbours=QUICK[1:],
            dear=True,
        ),
    ),
    "compiled training": (
        ReplayCase(
            "a network",
            lambda curator: _show(fit_compiled(curator, network_loss, "visits", epsilon=3, **NETWORK)),
            quick=True,
            needs="jax",
        ),
    ),
    "census": (ReplayCase("areas of a small census", _count_census, world="census", quick=True),),
    "bootstrap": (
        ReplayCase(
            "a ratio",
            lambda curator: ROBUST["ratio"](curator, 4.0),
            quick=True,
            neighbours=QUICK[1:],
            dear=True,
            replaces=False,
        ),
    ),
    "quantile interval": (
        ReplayCase("a median", lambda curator: ROBUST["median interval"](curator, 1.0), quick=True),
        ReplayCase("by rho", lambda curator: ROBUST["quantile interval by rho"](curator, 1.0)),
    ),
    "clipped sum": (
        ReplayCase("a sum", lambda curator: ROBUST["clipped sum"](curator, 1.0), quick=True),
        ReplayCase("a mean", lambda curator: ROBUST["clipped mean"](curator, 1.0)),
    ),
    "coinpress": (ReplayCase("two means", lambda curator: ROBUST["multivariate mean"](curator, 1.0), quick=True),),
    "robust statistic": (
        ReplayCase("a trimmed mean", lambda curator: ROBUST["trimmed mean"](curator, 1.0), quick=True),
        *(
            ReplayCase(name, lambda curator, name=name: ROBUST[name](curator, 1.0))  # type: ignore[misc]
            for name in (
                "median",
                "median with a delta",
                "median with a proposal",
                "median by rho",
                "unbounded mean",
                "interquartile range",
                "universal mean",
                "universal variance",
                "universal quartiles",
                "any function",
            )
        ),
    ),
}
"""Every kind of operation, and ways to perform it."""


@cache
def find_world(name: str, relation: str = "add-remove") -> ReplayNeighbours:
    """Return the neighbours of a world's tables."""
    if name == "census":
        text = small_census.write_policy(neighbours=relation, unit='unit = "person"\nmax_rows = 2')
        return make_neighbours(loads(text, "owner/policy.toml"), small_census.make_tables())
    policy = clinic.write_policy(epsilon=200.0, delta=1e-8, neighbours=relation)
    return make_neighbours(loads(policy, "owner/policy.toml"), clinic.make_tables(VISITS))
