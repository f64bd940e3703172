"""A whole census release: `run("census.toml")` measures, estimates, tells its errors and writes everything.

What is measured is charged once; the same again is free. A run that was stopped, or killed, goes on with the level that
it was at when it is called again.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import replace
from pathlib import Path
from typing import Any

from discreet.base import check
from discreet.base.canonical import hash_json
from discreet.base.errors import ParameterError
from discreet.curator import Curator
from discreet.policy.model import EngineKind
from discreet.topdown.affording import prepare
from discreet.topdown.measure.measurements import CensusMeasurements
from discreet.topdown.release.census_release import CensusRelease
from discreet.topdown.release.payment import ReleasePayment
from discreet.topdown.release.receipt import describe_receipt
from discreet.topdown.release.rows import FILES, PARQUET
from discreet.topdown.release.writing import ReleaseWriter
from discreet.topdown.running.estimating import AreaWatch, estimate, fit_held, hand_out_basis, model_readings
from discreet.topdown.running.held_readings import HeldReading, hold_measurements
from discreet.topdown.running.problem import OBJECTIVES, UP_AND_DOWN, make_problem
from discreet.topdown.running.run_folder import FINISHED, OUTPUT, RunFolder
from discreet.topdown.running.simulating import simulate_errors
from discreet.topdown.running.size_errors import tell_errors
from discreet.topdown.running.workers import SolverPool
from discreet.topdown.spec.census_spec import CensusSpec
from discreet.topdown.spec.reading import read_spec

REPLICATIONS = 2
"""How often a release is made again to tell how far it is off: every time has errors of all its cells."""


def run(
    spec: str | Path | CensusSpec,
    output: str | Path | None = None,
    *,
    analyst: str | None = None,
    tables: Mapping[str, Any] | None = None,
    workers: int | None = None,
    replications: int = REPLICATIONS,
    objective: str = UP_AND_DOWN,
    files: str = PARQUET,
    on: str | None = None,
    watch: AreaWatch | None = None,
) -> CensusRelease:
    """Make a census release, or go on with it, and return it.

    It is written into the folder `output`, by default `release` beside the spec. `workers` are processes, by default
    one for each core; what comes out does not depend on them. `on` names an engine of the policy that is Spark: its
    executors solve instead, and must share the folder (`running.spark_pool`). Errors are told from so many
    `replications`; without any they are not, and margins are the same. Tables are `files` of Parquet or csv. `tables`
    are Arrow, pandas or polars tables for those without a source in the policy. `watch` is told what is done, and of
    how many areas. Everything that can be refused is refused before the charge; whether there was one, `payment` of
    what is returned says.
    """
    asked = spec if isinstance(spec, CensusSpec) else read_spec(spec)
    check.integer("replications", replications, least=0, most=10_000)
    check.integer("workers", 1 if workers is None else workers, least=1, most=1024)
    check.choice("objective", objective, OBJECTIVES)
    check.choice("files", files, FILES)
    folder = Path(output) if output is not None else asked.path.parent / OUTPUT
    with RunFolder(folder if on is None else folder.resolve(), asked.digest, objective) as held, ExitStack() as open_:
        pool = None if on is None else _open_spark(asked, held, on, open_)
        told: dict[str, Any] = {"replications": replications, "objective": objective, "files": files}
        told["measured"], readings, payment = _measure(asked, held, analyst, tables, told, watch)
        if readings:
            pool = open_.enter_context(SolverPool(workers)) if pool is None else pool
            _make(asked, held, readings, payment, pool, told, watch)
    return replace(CensusRelease.open(folder), payment=payment)


def _open_spark(spec: CensusSpec, held: RunFolder, on: str, open_: ExitStack) -> SolverPool:
    """Return a pool of the executors of an engine, or refuse what could not solve: nothing is charged."""
    known = {each.name: each for each in spec.policy.engines if each.kind is EngineKind.SPARK}
    if on not in known:
        raise ParameterError("on", on, f"an engine of the policy that is Spark: {', '.join(known) or 'it has none'}")
    from discreet.engines.spark.session import connect
    from discreet.topdown.running.spark_pool import SparkPool

    session = connect(known[on], spec.policy.path)
    open_.callback(session.close)
    return open_.enter_context(SparkPool(session, held.path))


def _measure(
    spec: CensusSpec,
    held: RunFolder,
    analyst: str | None,
    tables: Mapping[str, Any] | None,
    told: dict[str, Any],
    watch: AreaWatch | None,
) -> tuple[str, list[HeldReading], ReleasePayment]:
    """Measure, or find what was measured; return its name, and the readings in files: none if all was made of them."""
    with Curator.open(spec.policy.path, analyst, tables) as curator:
        session = curator.session()
        operation = prepare(session, spec)
        progress = None if watch is None else (lambda _: watch("measuring", 0, 0))
        found, receipt = session.perform(operation, operation.describe(), progress=progress)
        assert isinstance(found, CensusMeasurements)
        measured = hash_json([[part.name for part in each.parts] for each in found])
        held.settle(measured)
        budget = session.budget
        left = {share.name: share.left for share in (budget.total, *budget.analysts)}
        payment = ReleasePayment(receipt, left, spec.allocation.rho)
        if _is_made(held.finished, told):
            return measured, [], payment
        (held.path / FINISHED).unlink(missing_ok=True)
        return measured, hold_measurements(found, held.working), payment


def _is_made(finished: dict[str, Any] | None, told: dict[str, Any]) -> bool:
    """Say whether a finished release is what is wanted; one that is to be made anew is not finished until it is."""
    if finished is None or finished["replications"] != told["replications"]:
        return False
    return bool(finished.get("files", PARQUET) == told["files"])


def _make(
    spec: CensusSpec,
    held: RunFolder,
    readings: list[HeldReading],
    payment: ReleasePayment,
    pool: SolverPool,
    told: dict[str, Any],
    watch: AreaWatch | None,
) -> None:
    """Estimate, make it again to tell its errors, and write the release."""
    problem, objective = make_problem(spec), told["objective"]
    model = model_readings(problem, readings)
    hand_out_basis(problem, model, pool, objective)
    fit = fit_held(problem, model, readings)
    found = estimate(problem, fit, readings, pool, held.working, watch)
    simulated = None
    if told["replications"]:
        given = told["replications"], int(told["measured"][:15], 16), watch, held.working / "simulated.npz"
        simulated = simulate_errors(problem, model, readings, found.counts, pool, held.working, *given)
    errors = {} if simulated is None else tell_errors(simulated)
    writer = ReleaseWriter(spec, problem, fit, found.levels, errors, simulated, held.path, told["files"])
    written = writer.write(readings, pool, describe_receipt(spec, payment.receipt), watch)
    held.finish({**told, **written})
