"""Estimates over the tree are those of brute force: every area, every answer, every variance."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.topdown.estimate.tree_fit import TreeFit, fit_readings, fit_tree
from discreet.topdown.estimate.tree_model import model_tree
from discreet.topdown.readings import LevelReading
from discreet.topdown.spec.geography import Geography
from discreet.topdown.spec.queries import Query
from discreet.topdown.spec.schema import CensusSchema
from topdown.estimate.dense import DenseFit, ask, ask_all, grow, invert, make_schema, read

TREES = {
    "one area": grow(),
    "two levels": grow([3]),
    "balanced": grow([2], [2, 2]),
    "unbalanced": grow([3], [1, 4, 2]),
    "single children": grow([1], [2], [1, 2], [1, 1, 1]),
    "deep": grow([2], [1, 2], [2, 1, 1]),
}
SCHEMA = make_schema(4, 2)
RECODED = (0, 1, 1, 1)
CROSSING = (0, 1, 0, 2)
Asked = list[tuple[int, Query, float]]


def ask_everywhere(depth: int, *queries: tuple[Query, float]) -> Asked:
    return [(level, query, variance * (1 + level)) for level in range(depth) for query, variance in queries]


def list_plans(schema: CensusSchema, depth: int) -> dict[str, Asked]:
    """Return what can be asked of a tree of so many levels, by what is special about it."""
    last = depth - 1
    total, cells = ask(schema), ask_all(schema)
    plain = ask_everywhere(depth, (total, 3.0), (ask(schema, a0=None), 5.0), (ask(schema, a1=None), 2.0), (cells, 7.0))
    recoded = ask_everywhere(depth, (ask(schema, a0=RECODED), 4.0), (total, 2.5), (cells, 9.0))
    twice = [*recoded, *ask_everywhere(depth, (ask(schema, a0=CROSSING, a1=None), 6.0))]
    return {
        "whole attributes": plain,
        "groups of unequal sizes": recoded,
        "two groupings that cross": twice,
        "two groupings and no cells": [each for each in twice if each[1].size < schema.cells],
        "totals only at the top": [(0, total, 2.0), (last, cells, 5.0)],
        "no cells at the last level": [
            *ask_everywhere(depth, (total, 3.0)),
            (0, cells, 5.0),
            (last, ask(schema, a0=None), 4.0),
        ],
        "nothing at the last level": ask_everywhere(max(1, last), (total, 3.0), (cells, 4.0)),
        "totals and nothing else": ask_everywhere(depth, (total, 3.0)),
        "very different variances": [
            (0, cells, 1e-3),
            (last, total, 1e4),
            (last, cells, 10.0),
            (last, ask(schema, a0=RECODED), 1e-2),
        ],
        "a public total of the whole": [(0, total, 0.0), *plain],
        "public totals at the second level": [(min(1, last), total, 0.0), *recoded],
        "public groups of the smallest areas": [(last, ask(schema, a0=RECODED), 0.0), *twice],
        "public numbers at two levels": [(0, ask(schema, a1=None), 0.0), (last, total, 0.0), *recoded],
        "public numbers and totals": [(0, ask(schema, a0=None), 0.0), *ask_everywhere(depth, (total, 3.0))],
        "everything public above": [(0, cells, 0.0), (last, cells, 4.0), (last, total, 2.0)],
    }


PLANS = list(list_plans(SCHEMA, 1))


def fit_plan(tree: Geography, asked: Asked, seed: int = 0) -> tuple[TreeFit, list[LevelReading], Floats]:
    generator = np.random.default_rng(seed)
    schema = asked[0][1].schema
    truth = generator.poisson(6.0, (len(tree.leaves), schema.cells)).astype(float)
    readings = read(tree, truth, asked, generator)
    return fit_tree(tree, schema, readings), readings, truth


def agree(found: Floats, wanted: Floats, where: Floats) -> None:
    """Estimates need to agree where their variances are finite."""
    assert found[np.isfinite(where)] == pytest.approx(wanted[np.isfinite(where)], abs=1e-6)


def list_questions(schema: CensusSchema) -> list[Query]:
    """Return queries that are measured, and some that no plan measures."""
    return [
        ask(schema),
        ask(schema, a0=RECODED),
        ask(schema, a0=None),
        ask(schema, a1=None),
        ask(schema, a0=(0, 0, 1, 1)),
        ask(schema, a0=(1, 0, 0, 1), a1=None),
        ask_all(schema),
    ]


@pytest.mark.many
@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("shape", TREES)
def test_estimates_and_variances_are_those_of_brute_force(shape: str, name: str) -> None:
    tree = TREES[shape]
    fit, readings, _ = fit_plan(tree, list_plans(SCHEMA, len(tree.levels))[name])
    dense = DenseFit(tree, readings)
    for level, areas in enumerate(tree.levels):
        for query in list_questions(SCHEMA):
            answers, variances = fit.answer(level, query), fit.variances(level, query)
            assert answers == pytest.approx(query.answer(fit.final(level)), abs=1e-8)
            for area in range(len(areas)):
                wanted, exact = dense.ask(level, area, query)
                assert variances[area] == pytest.approx(exact, rel=1e-7, abs=1e-9)
                agree(answers[area], wanted, exact)


@pytest.mark.many
@pytest.mark.parametrize("name", PLANS)
@pytest.mark.parametrize("shape", ["balanced", "unbalanced", "single children"])
def test_upward_estimates_hold_all_that_the_readings_of_a_subtree_say(shape: str, name: str) -> None:
    tree = TREES[shape]
    fit, readings, _ = fit_plan(tree, list_plans(SCHEMA, len(tree.levels))[name], seed=1)
    generator = np.random.default_rng(2)
    for level, areas in enumerate(tree.levels):
        upward, alone = fit.upward(level), fit.alone(level)
        for area in range(len(areas)):
            for found, matrices, dense in (
                (upward, fit.precision(level), DenseFit(tree, readings, (level, area))),
                (alone, fit.precision_alone(level), DenseFit(tree, readings, (level, area), alone=True)),
            ):
                wanted, variances = dense.ask(level, area, ask_all(SCHEMA))
                agree(found[area], wanted, variances)
                least = dense.miss(level, area, found[area])
                assert least < np.inf
                for _ in range(3):
                    moved = allow(dense, level, area, found[area], generator.normal(0, 3, SCHEMA.cells))
                    step = moved - found[area]
                    loss = step @ matrices.apply(step[None], np.array([area]))[0]
                    assert dense.miss(level, area, moved) - least == pytest.approx(
                        loss, rel=1e-6, abs=1e-6 * (1 + least)
                    )


def allow(dense: DenseFit, level: int, area: int, histogram: Floats, step: Floats) -> Floats:
    """Return a histogram moved by as much of a step as public numbers allow."""
    sums = np.kron(dense.geography.ancestors[level] == area, np.eye(dense.cells)) @ dense.free
    return np.asarray(histogram + sums @ (invert(sums) @ step))


def draw_plan(generator: np.random.Generator) -> tuple[Geography, Asked]:
    """Return some tree and some readings: at least one with noise, and one in four public."""
    schema = make_schema(*generator.choice([1, 2, 3, 4], 2))
    areas, levels = 1, []
    for _ in range(generator.integers(0, 4)):
        levels.append(generator.choice([1, 1, 2, 3], areas).tolist())
        areas = min(sum(levels[-1]), 8)
        levels[-1] = levels[-1] if sum(levels[-1]) <= 8 else [1] * len(levels[-1])
        areas = sum(levels[-1])
    asked: Asked = [(int(generator.integers(0, len(levels) + 1)), ask(schema), 2.0)]
    for _ in range(generator.integers(0, 6)):
        groups = {
            f"a{place}": np.unique(generator.integers(0, size, size), return_inverse=True)[1].tolist()
            for place, size in enumerate(schema.shape)
            if generator.random() < 0.7
        }
        variance = 0.0 if generator.random() < 0.25 else float(generator.choice([0.1, 3.0, 50.0]))
        asked.append((int(generator.integers(0, len(levels) + 1)), ask(schema, **groups), variance))
    return grow(*levels), asked


@pytest.mark.many
@pytest.mark.parametrize("seed", range(60))
def test_whatever_the_tree_and_the_queries_brute_force_agrees(seed: int) -> None:
    tree, asked = draw_plan(np.random.default_rng(seed))
    fit, readings, _ = fit_plan(tree, asked, seed)
    schema = asked[0][1].schema
    dense = DenseFit(tree, readings)
    for level, areas in enumerate(tree.levels):
        for query in {ask(schema).name: ask(schema), ask_all(schema).name: ask_all(schema)}.values():
            answers, variances = fit.answer(level, query), fit.variances(level, query)
            for area in range(len(areas)):
                wanted, exact = dense.ask(level, area, query)
                assert variances[area] == pytest.approx(exact, rel=1e-6, abs=1e-9)
                agree(answers[area], wanted, exact)


@pytest.mark.parametrize("name", PLANS)
def test_children_add_up_to_their_parents_and_public_numbers_hold(name: str) -> None:
    tree = TREES["single children"]
    fit, readings, _ = fit_plan(tree, list_plans(SCHEMA, len(tree.levels))[name])
    for level, areas in list(enumerate(tree.levels))[1:]:
        sums = np.zeros((len(tree.levels[level - 1]), SCHEMA.cells))
        np.add.at(sums, areas.parents, fit.final(level))
        assert fit.final(level - 1) == pytest.approx(sums, abs=1e-9)
    for reading in readings:
        if reading.variance == 0:
            assert fit.answer(reading.level, reading.query) == pytest.approx(reading.values, abs=1e-9)


def test_large_counts_lose_nothing() -> None:
    """A whole country beside areas of a few people, a thousand cells: sums hold to 1e-9 of the largest count."""
    schema = make_schema(8, 2, 63)
    tree = grow([3], [2, 1, 30], [40] + [3] * 32)
    asked = ask_everywhere(
        4, (ask(schema), 1.0), (ask(schema, a0=(0, 1, 1, 1, 1, 2, 2, 2)), 3.0), (ask_all(schema), 9.0)
    )
    generator = np.random.default_rng(0)
    truth = np.rint(generator.pareto(1.0, (len(tree.leaves), schema.cells)) * 1000)
    fit = fit_tree(tree, schema, read(tree, truth, asked, generator))
    for level, areas in list(enumerate(tree.levels))[1:]:
        sums = np.add.reduceat(fit.final(level), areas.bound_children(len(tree.levels[level - 1]))[:-1], axis=0)
        assert np.abs(sums - fit.final(level - 1)).max() < 1e-9 * truth.sum(axis=0).max()
    errors = (fit.final(3) - truth) / np.sqrt(fit.variances(3, ask_all(schema)))
    assert np.mean(errors**2) == pytest.approx(1, abs=0.02)


def test_some_areas_of_a_level_are_the_same_as_all_of_them() -> None:
    tree = TREES["unbalanced"]
    fit, _, _ = fit_plan(tree, list_plans(SCHEMA, 3)["public totals at the second level"])
    for level in range(3):
        some = np.array([len(tree.levels[level]) - 1, 0])
        for find in (fit.upward, fit.alone, fit.final):
            whole = find(level)
            assert find(level, some) == pytest.approx(whole[some], abs=1e-12)
            assert find(level, slice(1, None)) == pytest.approx(whole[1:], abs=1e-12)


def test_variances_are_those_of_simulated_noise() -> None:
    tree = TREES["unbalanced"]
    asked = list_plans(SCHEMA, 3)["two groupings that cross"]
    generator = np.random.default_rng(5)
    truth = np.full((len(tree.leaves), SCHEMA.cells), 20.0)
    model = model_tree(tree, SCHEMA, read(tree, truth, asked, generator))
    replications, query = 500, ask(SCHEMA, a0=(0, 0, 1, 1))
    asked = [(level, each, variance - 1 / 12) for level, each, variance in asked]
    errors: list[list[Floats]] = [[], [], []]
    for _ in range(replications):
        readings = [replace(each, variance=each.variance + 1 / 12) for each in read(tree, truth, asked, generator)]
        fit = fit_readings(model, readings)
        for level, found in enumerate(errors):
            found.append(fit.answer(level, query))
    for level, found in enumerate(errors):
        ratios = np.var(found, axis=0) / model.variances(level, query)
        deviation = np.sqrt(2 / replications)
        assert np.abs(ratios - 1).max() < 5 * deviation
        assert np.abs(np.mean(ratios) - 1) < 4 * deviation


def test_public_numbers_that_contradict_one_another_are_refused() -> None:
    tree = TREES["two levels"]
    total, first = ask(SCHEMA), ask(SCHEMA, a1=None)
    noisy = LevelReading(1, total, 2.0, np.array([[3], [4], [5]]))
    top = LevelReading(0, total, 0.0, np.array([[10]]))
    below = LevelReading(1, total, 0.0, np.array([[3], [3], [4]]))
    fit_tree(tree, SCHEMA, [noisy, top, below])
    wrong_sum = LevelReading(1, total, 0.0, np.array([[3], [3], [5]]))
    wrong_part = LevelReading(1, first, 0.0, np.array([[1, 2], [1, 2], [3, 2]]))
    for readings in ([noisy, top, wrong_sum], [noisy, below, wrong_part]):
        with pytest.raises(ParameterError, match="public"):
            fit_tree(tree, SCHEMA, readings)


def test_readings_that_a_model_was_not_made_for_are_refused() -> None:
    tree = TREES["two levels"]
    one = LevelReading(1, ask(SCHEMA), 2.0, np.array([[3], [4], [5]]))
    model = model_tree(tree, SCHEMA, [one])
    fit_readings(model, [one])
    for other in ([], [one, one], [replace(one, variance=3.0)], [replace(one, query=ask(SCHEMA, a1=None))]):
        with pytest.raises(ParameterError, match="model"):
            fit_readings(model, other)
