"""Compiled models from a private table: one schedule, one charge, one record; killed, resumed, refused before it."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from curator.door.test_wings import kinds
from discreet.base.errors import DiscreetError, OperationError
from discreet.curator import Curator
from discreet.curator.door.compiled import check_descent
from discreet.curator.door.desk import Desk
from discreet.curator.door.operation import declare
from discreet.curator.door.performance import make_meter
from discreet.engines.result import ExactRows
from discreet.gradients.compiled import memory_sums
from discreet.learn import fit_compiled
from discreet.learn.compiled.compiled_fit import prepare_compiled
from discreet.learn.compiled.compiled_training import CompiledTraining, SampledTraining
from discreet.learn.compiled.optimisers import Momentum
from discreet.mechanisms import Gaussian
from discreet.noise import rounded_gaussian
from discreet.noise.device.frame import jax_modules
from discreet.privacy import GaussianLoss, SampledLoss
from servers.accelerated import require_jax
from support.clinic import Visit, open_clinic
from support.compiled import NETWORK, find_classes, network_loss
from support.desks import Pages, hold_by, never
from support.learning import ROWS, TABLE

SAMPLED: dict[str, Any] = {**NETWORK, "epsilon": 3, "batch": 300}
PARTS = 20


@pytest.fixture(autouse=True)
def jax_is_here() -> None:
    require_jax()


@pytest.fixture(scope="module")
def sampled(tmp_path_factory: pytest.TempPathFactory) -> SampledTraining:
    """A training that was prepared once, for tests that put it at desks of their own."""
    require_jax()
    with open_clinic(tmp_path_factory.mktemp("sampled"), ROWS, epsilon=20.0) as curator:
        found = prepare_compiled(curator.session(), network_loss, "visits", **SAMPLED)
    assert isinstance(found, SampledTraining)
    return found


def make_rows(training: CompiledTraining, counts: list[int]) -> ExactRows:
    """Return so many rows of each unit, points from a public seed inside the columns' ranges."""
    generator = np.random.default_rng(sum(counts))
    grids = [column.grid for column in training.plan.columns]
    points = np.stack([generator.integers(grid.lower, grid.upper + 1, sum(counts)) for grid in grids], axis=1)
    return ExactRows(points.astype(np.int64), np.concatenate([[0], np.cumsum(counts)]).astype(np.int64))


def open_desk(training: CompiledTraining, rows: ExactRows) -> Desk:
    return Desk(training.plans(), make_meter(declare(training)), Pages(), never, hold_by(lambda _: rows))


def test_a_sampled_run_is_charged_its_certified_epsilon_once_recorded_and_free_again(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0) as curator:
        model = fit_compiled(curator, network_loss, "visits", **SAMPLED)
        assert model.receipt is not None
        charge = model.receipt.charge
        assert model.receipt.paid == "charged"
        assert 2.9 < charge.epsilon <= 3
        assert charge.delta == Fraction(1, 4 * 10**9)
        assert kinds(curator).count("CHARGE") == kinds(curator).count("RECORD") == 1
        assert kinds(curator).count("MEASURE") == PARTS
        truth = np.array([cost > 1100 for _, _, cost, _ in ROWS if cost is not None])
        assert np.mean(find_classes(model.parameters, model.encode(TABLE)) == truth) > 0.85
        assert model.classes == (False, True)
        assert model.names[0] == "age"
        again = fit_compiled(curator, network_loss, "visits", **SAMPLED)
        assert again.receipt is not None
        assert again.receipt.paid == "free"
        assert all(np.array_equal(again.parameters[name], each) for name, each in model.parameters.items())
        assert curator.ledger.verify().ok


def test_the_charge_is_the_certified_loss_of_all_steps_and_the_meter_admits_no_other(sampled: SampledTraining) -> None:
    step = sampled.descent.find_loss(sampled.plan)
    grid = sampled.descent.gradients.grid
    assert step == SampledLoss(GaussianLoss(Fraction(grid.steps) / Fraction(sampled.descent.noise.sigma)), 0.1)
    assert sampled.charge.epsilon == Fraction((step * sampled.steps).epsilon(sampled.delta).high)
    desk = open_desk(sampled, make_rows(sampled, [1, 3, 2]))
    state = sampled.start
    for steps in sampled.parts:
        state = desk.descend(sampled.plan, sampled.descent, state, steps)
    assert desk.draws == PARTS
    with pytest.raises(OperationError, match="one more"):
        desk.descend(sampled.plan, sampled.descent, state, 2)
    quieter = replace(sampled.descent, noise=Gaussian(sampled.descent.noise.sigma * 0.99))
    for descent, steps in ((quieter, 2), (sampled.descent, 3), (replace(sampled.descent, rate=0.2), 2)):
        with pytest.raises(OperationError, match="the schedule declared"):
            open_desk(sampled, make_rows(sampled, [1])).descend(sampled.plan, descent, sampled.start, steps)


@pytest.mark.parametrize("counts", [[], [1], [3, 1] * 400], ids=["nobody", "one", "many"])
def test_every_step_draws_the_declared_noise_and_makes_its_public_batches(
    sampled: SampledTraining, counts: list[int], monkeypatch: pytest.MonkeyPatch
) -> None:
    sigmas: list[float] = []
    batches: list[int] = []
    draw, fill = rounded_gaussian, memory_sums.RowsOfUnits.fill

    def count(self: Any, *given: Any) -> Any:
        found = list(fill(self, *given))
        batches.append(len(found))
        return iter(found)

    monkeypatch.setattr(memory_sums, "rounded_gaussian", lambda s, size: sigmas.append(s) or draw(s, size))  # type: ignore[func-returns-value]
    monkeypatch.setattr(memory_sums.RowsOfUnits, "fill", count)
    split = replace(sampled.descent, batches=3)
    desk = open_desk(sampled, make_rows(sampled, counts))
    desk.descend(sampled.plan, split, sampled.start, 2)
    assert sigmas == [sampled.descent.noise.sigma] * 2
    assert batches == [3, 3]


def test_a_full_batch_is_charged_by_rho_and_is_plain_descent_where_noise_is_little(tmp_path: Path) -> None:
    jax, _ = jax_modules()
    how = {**NETWORK, "steps": 3, "clip": 50.0, "rho": 9 * 10**5, "optimiser": Momentum(0.5, 0.0), "physical": 512}
    with open_clinic(tmp_path, ROWS, epsilon=10.0**7, delta=1e-9) as curator:
        model = fit_compiled(curator, network_loss, "visits", **how)
        assert model.receipt is not None
        assert model.receipt.charge.epsilon == math.inf
        assert 0.99 * 9 * 10**5 < model.receipt.charge.rho <= 9 * 10**5
        assert kinds(curator).count("MEASURE") == 3
    x, y = model.encode(TABLE), np.array([int(cost > 1100) for _, _, cost, _ in ROWS if cost is not None])
    plain: Any = jax.tree.map(lambda leaf: np.asarray(leaf, dtype=np.float32), NETWORK["start"](x.shape[1], 2))
    mean = jax.jit(jax.grad(lambda p: jax.vmap(network_loss, (None, 0))(p, (x, y)).mean()))
    for _ in range(3):
        plain = jax.tree.map(lambda old, slope: old - 0.5 * slope, plain, mean(plain))
    for name, leaf in plain.items():
        assert np.abs(np.asarray(leaf) - model.parameters[name]).max() < 0.01


KILLED = """
import os, signal, sys
from pathlib import Path
from discreet.curator.door import compiled
from discreet.gradients.compiled import memory_sums
from discreet.learn import fit_compiled
from support.clinic import open_clinic
from support.compiled import NETWORK, network_loss
from support.learning import ROWS

plain, made = memory_sums.MemorySums.advance, [0]

def advance(self, *given):
    made[0] += 1
    if made[0] > 8:  # one step was a rehearsal
        os.kill(os.getpid(), signal.SIGKILL)
    return plain(self, *given)

memory_sums.MemorySums.advance = advance
with open_clinic(Path(sys.argv[1]), ROWS, epsilon=20.0) as curator:
    fit_compiled(curator, network_loss, "visits", **NETWORK, epsilon=3, batch=300)
"""


def test_a_run_killed_inside_a_part_goes_on_for_the_same_charge_and_with_noise_of_its_own(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two steps make a part, and the eighth step died: three parts are journaled, the seventh step is made anew."""
    open_clinic(tmp_path, ROWS, epsilon=20.0).close()
    killed = subprocess.run([sys.executable, "-c", KILLED, str(tmp_path)], env=_own_path(), check=False)
    assert killed.returncode == -signal.SIGKILL
    draws: list[bytes] = []

    def draw(sigma: float, size: int) -> Any:
        found = rounded_gaussian(sigma, size)
        draws.append(found.tobytes())
        return found

    monkeypatch.setattr(memory_sums, "rounded_gaussian", draw)
    with open_clinic(tmp_path, ROWS, epsilon=20.0) as curator:
        before, spent = _read_measures(curator), curator.ledger.spent()
        assert len(before) == 3
        model = fit_compiled(curator, network_loss, "visits", **SAMPLED)
        assert model.receipt is not None
        assert _read_measures(curator)[:3] == before
        assert len(_read_measures(curator)) == PARTS
        assert kinds(curator).count("CHARGE") == kinds(curator).count("RECORD") == 1
        assert curator.ledger.spent().spent == spent.spent
        assert model.receipt.charge.epsilon <= 3
    assert len(set(draws)) == len(draws) == 1 + 40 - 6  # the first was a rehearsal of made-up rows


def _own_path() -> dict[str, str]:
    return {**os.environ, "PYTHONPATH": os.pathsep.join(each for each in sys.path if each)}


def _read_measures(curator: Curator) -> list[str]:
    return [repr(entry) for entry in curator.ledger.entries() if entry.kind == "MEASURE"]


def test_whatever_rows_hold_a_model_is_learned(tmp_path: Path) -> None:
    odd: list[Visit] = [
        (1, None, None, None),
        (2, 10**9, 1e300, "nowhere"),
        (2, -5, math.nan, "icu"),
        (3, 40, math.inf, "north"),
        (None, 40, 10.0, "north"),
    ]
    for place, rows in enumerate((odd, odd[:1])):
        with open_clinic(tmp_path / str(place), rows, epsilon=20.0) as curator:
            how = {**SAMPLED, "target": "ward", "features": ["age", "cost"], "steps": 2, "size": 10, "batch": 4}
            model = fit_compiled(curator, network_loss, "visits", **how)
            assert all(np.isfinite(leaf).all() for leaf in model.parameters.values())


def tell(parameters: Any, example: Any) -> Any:
    jax, _ = jax_modules()
    jax.debug.callback(lambda x: None, example[0])
    return network_loss(parameters, example)


def call_out(parameters: Any, example: Any) -> Any:
    jax, _ = jax_modules()
    x, y = example
    shape = jax.ShapeDtypeStruct(x.shape, x.dtype)
    seen = jax.pure_callback(lambda each: each, shape, jax.lax.stop_gradient(x), vmap_method="sequential")
    return network_loss(parameters, (x + seen, y))


class TellingMomentum(Momentum):
    def update(self, updates: Any, state: Any, params: Any) -> tuple[Any, Any]:
        jax_modules()[0].debug.print("{}", updates["bias"])
        return super().update(updates, state, params)


class GrowingMomentum(Momentum):
    def update(self, updates: Any, state: Any, params: Any) -> tuple[Any, Any]:
        return updates, (state, state)


WRONG: list[tuple[Any, dict[str, Any], str]] = [
    (tell, {}, "callbacks"),
    (call_out, {}, "callbacks"),
    (lambda p, e: e[0], {}, "one number"),
    (lambda p, e: e[0] @ p["nothing"], {}, "KeyError"),
    (network_loss, {"optimiser": TellingMomentum(0.1)}, "callbacks"),
    (network_loss, {"optimiser": GrowingMomentum(0.1)}, "same structure"),
    (network_loss, {"start": {"in": np.arange(3)}}, "arrays of floats"),
    (network_loss, {"features": ["nothing"]}, "features"),
    (network_loss, {"target": "nothing"}, "nothing"),
    (network_loss, {"predicts": "count"}, "predicts"),
    (network_loss, {"batch": 3001}, "batch"),
    (network_loss, {"delta": 1e-6}, "delta"),
    (network_loss, {"epsilon": None, "rho": 1}, "epsilon"),
    (network_loss, {"epsilon": 0}, "epsilon"),
    (network_loss, {"steps": 0}, "steps"),
    (network_loss, {"physical": 0}, "slots"),
    (network_loss, {"clip": -1.0}, "clip"),
]


def test_what_could_not_run_is_refused_before_the_charge(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0) as curator:
        for loss, wrong, word in WRONG:
            with pytest.raises(DiscreetError, match=word):
                fit_compiled(curator, loss, "visits", **{**SAMPLED, **wrong})
        assert kinds(curator) == ["CREATE"]


def test_sampling_is_for_add_remove_neighbours(tmp_path: Path, sampled: SampledTraining) -> None:
    doubled = replace(sampled.plan, factor=2)
    with pytest.raises(OperationError, match="add-remove"):
        check_descent(doubled, sampled.descent, sampled.start, 2)
    every = replace(sampled.descent, rate=1.0)
    once, twice = (check_descent(plan, every, sampled.start, 1) for plan in (sampled.plan, doubled))
    assert isinstance(once, GaussianLoss)
    assert isinstance(twice, GaussianLoss)
    assert Fraction(twice.mu) == 2 * Fraction(once.mu)


def test_a_desk_takes_descents_of_the_closed_list_alone(sampled: SampledTraining) -> None:
    plan, descent, start = sampled.plan, sampled.descent, sampled.start
    other: list[Callable[[], Any]] = [
        lambda: check_descent(plan, object(), start, 1),  # type: ignore[arg-type]
        lambda: check_descent(replace(plan, rows=2), descent, start, 1),
        lambda: check_descent(replace(plan, columns=plan.columns[:1]), descent, start, 1),
        lambda: check_descent(plan, replace(descent, noise=GaussianLoss(1)), start, 1),  # type: ignore[arg-type]
        lambda: check_descent(replace(plan, rows=3), descent, start, 10**9),
    ]
    for call in other:
        with pytest.raises(OperationError):
            call()
