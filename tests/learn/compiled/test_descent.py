"""Private descent with JAX: exact steps, the charge declared, checkpoints. All that compiles is here."""

from __future__ import annotations

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.gradients.compiled import memory_sums
from discreet.gradients.compiled.independence import DependenceError, check_independence, make_up_batch
from discreet.gradients.compiled.memory_sums import MemorySums, NoiseAhead, NoisySums, RowsOfUnits, group_rows
from discreet.gradients.compiled.unit_sums import PhysicalBatch, UnitSums, plan_grid
from discreet.learn.compiled import descent as descent_module
from discreet.learn.compiled.descent import Descent, TrainingProgress
from discreet.learn.compiled.optimisers import Momentum
from discreet.noise import bernoulli, rounded_gaussian
from discreet.noise.device.frame import jax_modules, wide
from servers.accelerated import require_jax

FEATURES, CLASSES, SLOTS = 5, 3, 16
QUICK: dict[str, Any] = {"clip": 1.0, "epsilon": 3.0, "delta": 1e-6, "batch": 40, "size": 40, "physical": SLOTS}
"""Full batches, since those are calibrated at once; what sampling does is tested on its own."""


@pytest.fixture(autouse=True)
def jax_is_here() -> None:
    require_jax()


def loss(parameters: Any, example: Any) -> Any:
    """A small network: an outer product, biases that are not one, and a scale that is a single number."""
    jax, jnp = jax_modules()
    x, y = example
    hidden = jnp.tanh(x @ parameters["in"] + parameters["bias"])
    return -jax.nn.log_softmax((hidden @ parameters["out"]) * parameters["scale"])[y]


def start() -> dict[str, Any]:
    generator = np.random.default_rng(5)
    return {
        "in": generator.normal(size=(FEATURES, 4)).astype(np.float32),
        "bias": np.zeros(4, dtype=np.float32),
        "out": generator.normal(size=(4, CLASSES)).astype(np.float32),
        "scale": np.ones((), dtype=np.float32),
    }


def draw_rows(count: int, seed: int = 1) -> tuple[Any, Any]:
    generator = np.random.default_rng(seed)
    x = generator.normal(size=(count, FEATURES)).astype(np.float32)
    return x, generator.integers(0, CLASSES, count).astype(np.int32)


@lru_cache
def sums_for(rows: int) -> tuple[UnitSums, Any]:
    """Return sums compiled once for all tests, and their grid."""
    x, y = draw_rows(SLOTS * rows)
    batch = PhysicalBatch((x.reshape(SLOTS, rows, -1), y.reshape(SLOTS, rows)), np.ones((SLOTS, rows), dtype=bool))
    grid = plan_grid(loss, start(), batch, 1.0)
    return UnitSums(loss, grid), grid


def add(rows: int, batch: PhysicalBatch) -> Any:
    return np.asarray(sums_for(rows)[0].add(start(), batch))


def alone(rows: int, x: Any, y: Any, slot: int = 0) -> Any:
    """Return the integers of one unit, alone in a slot."""
    columns = np.zeros((SLOTS, rows, FEATURES), dtype=np.float32), np.zeros((SLOTS, rows), dtype=np.int32)
    columns[0][slot], columns[1][slot] = x, y
    kept = np.zeros((SLOTS, rows), dtype=bool)
    kept[slot] = True
    return add(rows, PhysicalBatch(columns, kept))


HOSTILE_ROWS = [0.0, 1e-30, 1.0, 1e4, 1e30, 3e38, np.inf, -np.inf, np.nan]


@pytest.mark.parametrize("rows", [1, 2])
@pytest.mark.parametrize("value", HOSTILE_ROWS)
def test_a_unit_adds_an_integer_vector_inside_the_ball_whatever_its_rows_hold(rows: int, value: float) -> None:
    x = np.random.default_rng(2).normal(size=(rows, FEATURES)).astype(np.float32)
    x[0, 1] = value
    found = alone(rows, x, np.ones(rows, dtype=np.int32), slot=3)
    assert int((found.astype(object) ** 2).sum()) <= sums_for(rows)[1].square
    if not np.isfinite(value):
        assert not found.any()


@pytest.mark.parametrize("rows", [1, 2])
def test_removing_a_unit_changes_the_sum_by_its_own_integers_and_nobody_elses(rows: int) -> None:
    """Neighbour replay of one step, for every unit, also where it holds infinities."""
    x, y = (each.reshape(SLOTS, rows, *each.shape[1:]) for each in draw_rows(SLOTS * rows))
    x[4, 0, 0], x[9, 0, 2] = np.nan, 1e38
    kept = np.ones((SLOTS, rows), dtype=bool)
    kept[11:] = False
    kept[2, -1] = rows == 1
    whole = add(rows, PhysicalBatch((x, y), kept))
    for unit in range(SLOTS):
        fewer = kept.copy()
        fewer[unit] = False
        without = add(rows, PhysicalBatch((x, y), fewer))
        difference = whole - without
        assert int((difference.astype(object) ** 2).sum()) <= sums_for(rows)[1].square
        if kept[unit].all():
            assert np.array_equal(difference, alone(rows, x[unit], y[unit], slot=(unit + 5) % SLOTS))


@pytest.mark.parametrize("rows", [1, 2])
def test_sums_are_those_of_clipped_gradients_up_to_the_grid(rows: int) -> None:
    jax, _ = jax_modules()
    x, y = (each.reshape(SLOTS, rows, *each.shape[1:]) for each in draw_rows(SLOTS * rows))
    kept = np.ones((SLOTS, rows), dtype=bool)
    total: Any = 0
    for unit in range(SLOTS):
        leaves: Any = 0
        for row in range(rows):
            found = jax.tree.leaves(jax.grad(loss)(start(), (x[unit, row], y[unit, row])))
            leaves = leaves + np.concatenate([np.asarray(leaf, dtype=np.float64).ravel() for leaf in found])
        total = total + leaves / max(1.0, float(np.linalg.norm(leaves)))
    ours = add(rows, PhysicalBatch((x, y), kept)) * sums_for(rows)[1].length
    assert np.abs(ours - total).max() < SLOTS / 256
    assert np.linalg.norm(ours - total) < 0.02 * np.linalg.norm(total)


def test_a_unit_beyond_the_ball_counts_as_zero_though_it_was_scaled() -> None:
    """Integers that a wrong scale left too long are caught by the exact check."""
    sums, grid = sums_for(1)
    jax, jnp = jax_modules()
    with wide():
        long = [jnp.full((SLOTS, 4), 1.0, jnp.float32), (jnp.full((SLOTS, 9), 2000, jnp.int32),) * 2]
        scales = jnp.where(jnp.arange(SLOTS) == 5, 10.0, grid.steps * 0.51).astype(jnp.float32)
        passed = np.asarray(jax.jit(sums._check)(long[:1], scales, jnp.ones(SLOTS, bool)))
        assert passed.tolist() == [slot == 5 for slot in range(SLOTS)]
        assert not np.asarray(jax.jit(sums._check)(long[1:], scales, jnp.ones(SLOTS, bool))).any()
        wrapping = [(jnp.full((SLOTS, 256), 4096, jnp.int32),) * 2]  # 2^32 squared is 0 in 64 bits
        assert not np.asarray(jax.jit(sums._check)(wrapping, scales, jnp.ones(SLOTS, bool))).any()


def test_another_shape_of_batch_is_refused() -> None:
    x, y = draw_rows(SLOTS + 1)
    alone(1, x[0], y[0])  # from here on the program is compiled, for one shape
    with pytest.raises(TypeError):
        add(1, PhysicalBatch((x[:, None], y[:, None]), np.ones((SLOTS + 1, 1), dtype=bool)))


class MixingSums:
    """Sums that depend on company, as a compiled model with batch statistics would."""

    def __init__(self, fault: str) -> None:
        self.fault, self.calls = fault, 0

    def add(self, parameters: Any, batch: PhysicalBatch) -> Any:
        self.calls += 1
        values = (np.where(batch.kept, batch.rows, 0)[:, 0] * 1000).astype(np.int64)
        if self.fault == "slot":
            values = values + np.arange(len(values)) * values
        elif self.fault == "company":
            values = values + batch.kept.sum() * batch.kept[:, 0]
        elif self.fault == "leak":
            values = values + np.isnan(batch.rows).any()
        elif self.fault == "random":
            values = values + self.calls
        return np.asarray(values.sum())


@pytest.mark.parametrize("fault", ["slot", "company", "leak", "random"])
def test_a_model_that_mixes_examples_is_not_trained(fault: str) -> None:
    jax, _ = jax_modules()
    batch = make_up_batch(jax.ShapeDtypeStruct((), np.dtype(np.float32)), 32, 1)
    check_independence(MixingSums("none"), None, batch)  # type: ignore[arg-type]
    with pytest.raises(DependenceError, match="depend on its own rows"):
        check_independence(MixingSums(fault), None, batch)  # type: ignore[arg-type]


def test_the_check_before_training_passes_for_a_sound_model() -> None:
    jax, _ = jax_modules()
    example = jax.ShapeDtypeStruct((FEATURES,), np.dtype(np.float32)), jax.ShapeDtypeStruct((), np.dtype(np.int32))
    check_independence(sums_for(1)[0], start(), make_up_batch(example, SLOTS, 1))


class CountedSums:
    """Counts what it is given; a unit's integers are 1."""

    def __init__(self) -> None:
        self.batches: list[PhysicalBatch] = []

    def add(self, parameters: Any, batch: PhysicalBatch, onto: Any, start: int) -> Any:
        self.batches.append(batch)
        return onto[start : start + 1] + batch.kept.any(axis=1).sum()


def released(counted: CountedSums, rows: RowsOfUnits, rate: float, multiplier: float = 1.0) -> Any:
    grid = plan_grid(
        lambda p, x: p * x, np.float32(1), PhysicalBatch(np.ones((8, 1), np.float32), np.ones((8, 1))), 1.0
    )
    source = MemorySums(counted, grid, rows, rate, multiplier, 8, False)  # type: ignore[arg-type]
    return grid, source


def test_every_unit_is_taken_by_its_own_exact_coin_with_all_its_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[float, int]] = []
    take = bernoulli
    monkeypatch.setattr(memory_sums, "bernoulli", lambda p, size: asked.append((p, size)) or take(p, size))  # type: ignore[func-returns-value]
    units = np.repeat(np.arange(50), 3)
    rows = group_rows(np.arange(150, dtype=np.float32), 150, units, 3)
    counted = CountedSums()
    _, source = released(counted, rows, 0.3)
    taken = []
    for _ in range(200):
        counted.batches.clear()
        source.release(np.float32(1))
        assert all(batch.kept.shape == (8, 3) for batch in counted.batches)
        assert all(np.all(batch.kept.all(axis=1) == batch.kept.any(axis=1)) for batch in counted.batches)
        taken.append(sum(int(batch.kept.any(axis=1).sum()) for batch in counted.batches))
        assert len(counted.batches) == max(1, -(-taken[-1] // 8))
    assert asked == [(0.3, 50)] * 200
    assert np.var(taken) > 3  # a shuffled batch of fixed size has none; Poisson sampling 10.5
    assert abs(np.mean(taken) - 15) < 2


def test_the_noise_is_the_multiplier_times_the_grid_whatever_the_batch(monkeypatch: pytest.MonkeyPatch) -> None:
    sigmas: list[float] = []
    draw = rounded_gaussian
    monkeypatch.setattr(memory_sums, "rounded_gaussian", lambda s, size: sigmas.append(s) or draw(s, size))  # type: ignore[func-returns-value]
    for count in (0, 5, 40):
        rows = group_rows(np.arange(count, dtype=np.float32), count, None, 1)
        grid, source = released(CountedSums(), rows, 0.5, multiplier=1.25)
        source.release(np.float32(1))
    assert sigmas == [1.25 * grid.steps] * 3


def test_noise_made_ahead_is_given_out_once() -> None:
    ahead = NoiseAhead(1e9, 100)
    parts = [np.asarray(draws)[int(start) : int(start) + 100] for draws, start in (ahead.take() for _ in range(20))]
    assert len(np.unique(np.concatenate(parts))) > 1990


def test_sums_are_added_to_every_coordinate_of_the_noise_once() -> None:
    x, y = (each[:, None] for each in draw_rows(SLOTS))
    batch = PhysicalBatch((x, y), np.ones((SLOTS, 1), dtype=bool))
    plain, noise = add(1, batch), np.arange(1000, 2000)
    onto = np.asarray(sums_for(1)[0].add(start(), batch, noise, 37))
    assert np.array_equal(onto - plain, noise[37 : 37 + len(plain)])


def test_slots_hold_zeros_or_rows_of_their_own_unit() -> None:
    column = np.arange(1.0, 8.0, dtype=np.float32)
    rows = group_rows(column, 7, np.array(["b", "a", "b", "c", "b", "b", "a"]), 3)
    assert rows.places.tolist() == [[1, 6, -1], [0, 2, 4], [3, -1, -1]]
    (batch,) = rows.fill(np.array([0, 2]), 4)
    assert batch.rows.tolist() == [[2, 7, 2], [4, 4, 4], [0, 0, 0], [0, 0, 0]]
    assert batch.kept.tolist() == [[True, True, False], [True, False, False], [False] * 3, [False] * 3]
    (empty,) = rows.fill(np.array([], dtype=np.int64), 4)
    assert not empty.kept.any()


def test_with_little_noise_and_nothing_clipped_a_fit_is_plain_descent() -> None:
    jax, _ = jax_modules()
    x, y = draw_rows(48)
    given = {**QUICK, "clip": 20.0, "epsilon": 2e4, "batch": 48, "size": 48, "steps": 4}
    ours = Descent(loss, start(), optimiser=Momentum(0.5, 0.0), **given).fit(x, y)
    plain: Any = start()
    mean = jax.jit(jax.grad(lambda p: jax.vmap(loss, (None, 0))(p, (x, y)).mean()))
    for _ in range(4):
        plain = jax.tree.map(lambda old, slope: old - 0.5 * slope, plain, mean(plain))
    for one, other in zip(jax.tree.leaves(ours.parameters_), jax.tree.leaves(plain), strict=True):
        assert np.abs(np.asarray(one) - np.asarray(other)).max() < 0.05


class StoppedError(Exception):
    pass


class ScriptedSums(NoisySums):
    """Noisy sums from a desk that counts its releases, and may stop."""

    def __init__(self, stop_at: int | None = None, error: type[BaseException] = StoppedError) -> None:
        self.grid, self.releases, self.stop_at, self.error = sums_for(1)[1], 0, stop_at, error

    def release(self, parameters: Any) -> Any:
        self.releases += 1
        if self.releases == self.stop_at:
            raise self.error
        return np.full(self.grid.coordinates, self.grid.steps, dtype=np.int64)


def quick_descent(path: Path | None, steps: int = 12, **more: Any) -> Descent:
    return Descent(loss, start(), steps=steps, checkpoint=path, every=4, **{**QUICK, **more})


def test_a_stopped_run_goes_on_and_never_spends_more_than_it_declared(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    first, second = ScriptedSums(stop_at=7), ScriptedSums()
    with pytest.raises(StoppedError):
        quick_descent(path).train(first)
    resumed = quick_descent(path).train(second)
    assert first.releases + second.releases == 12
    assert resumed.updates_ == 11
    done = ScriptedSums()
    assert quick_descent(path).train(done).updates_ == 11
    assert done.releases == 0


def test_steps_that_a_killed_run_had_begun_are_not_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Killed without a chance to write: the steps that the file had reserved are spent."""
    path = tmp_path / "state.npz"
    killed = quick_descent(path)
    keep = killed._keep

    def die(state: Any, begun: int, updates: int) -> None:
        if begun != 7:
            keep(state, begun, updates)

    monkeypatch.setattr(killed, "_keep", die)
    first, second = ScriptedSums(stop_at=7), ScriptedSums()
    with pytest.raises(StoppedError):
        killed.train(first)
    resumed = quick_descent(path).train(second)
    assert second.releases == 12 - 8
    assert resumed.updates_ == 4 + 4


def test_a_run_declared_otherwise_is_not_resumed(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"
    quick_descent(path).train(ScriptedSums())
    for changed in ({"epsilon": 4.0}, {"batch": 39, "size": 39}, {"clip": 2.0}, {"steps": 13}):
        with pytest.raises(ParameterError, match="same"):
            quick_descent(path, **changed).train(ScriptedSums())


def test_a_state_is_trained_by_one_process_at_a_time(tmp_path: Path) -> None:
    path = tmp_path / "state.npz"

    class Nested(ScriptedSums):
        def release(self, parameters: Any) -> Any:
            with pytest.raises(ParameterError, match="no other process"):
                quick_descent(path).train(ScriptedSums())
            return super().release(parameters)

    quick_descent(path, steps=1).train(Nested())


def test_progress_and_loss_are_the_schedules() -> None:
    told: list[TrainingProgress] = []
    ours = quick_descent(None, progress=told.append).train(ScriptedSums())
    assert [each.step for each in told] == [4, 8, 12]
    assert told[0].epsilon < told[1].epsilon < told[2].epsilon == ours.loss_.epsilon(1e-6).high <= 3.0
    assert "exact" in ours.noise_


WRONG: list[Any] = [
    ({"clip": 0.0}, "clip"),
    ({"clip": float("nan")}, "clip"),
    ({"epsilon": 0}, "epsilon"),
    ({"delta": 1e-3}, "delta"),
    ({"batch": 41}, "batch"),
    ({"steps": 0}, "steps"),
    ({"rows": 0}, "rows"),
    ({"noise": "loud"}, "noise"),
    ({"physical": 0}, "physical"),
    ({"every": 0}, "every"),
]


@pytest.mark.parametrize(("wrong", "word"), WRONG)
def test_wrong_settings_are_refused_before_anything_is_drawn(wrong: dict[str, Any], word: str) -> None:
    with pytest.raises(ParameterError, match=word):
        Descent(loss, start(), **{**QUICK, "steps": 12, **wrong})


def test_wrong_data_is_refused_with_what_to_write() -> None:
    x, y = draw_rows(10)
    ours = Descent(loss, start(), steps=12, **QUICK)
    calls: list[Callable[[], Any]] = [
        lambda: ours.fit(x, y[:9]),
        lambda: ours.fit(x.astype(str), y),
        lambda: ours.fit(x, y, units=np.arange(9)),
        lambda: ours.fit(x, y, units=np.arange(10.0)),
        lambda: Descent(loss, start(), steps=12, rows=2, **QUICK).fit(x, y),
        lambda: Descent(loss, {"in": np.arange(3)}, steps=12, **QUICK),
    ]
    for call in calls:
        with pytest.raises(ParameterError):
            call()


def test_columns_of_other_types_become_32_bits_without_an_error() -> None:
    large = np.array([1e308, -1e308, np.nan, 1.5])
    assert np.isinf(descent_module._as_column(large)[:2]).all()
    assert descent_module._as_column(np.array([2**40, -(2**40), 3])).tolist() == [2**31 - 1, -(2**31), 3]
