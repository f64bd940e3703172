"""What tests of sums over units share: a small table of people with several rows each, and sums of every kind over it.

Clips are short and some people have more rows than they may keep, so that a unit that is cut in two is noticed.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import TypeVar

import numpy as np
import pyarrow as pa

from discreet.engines.held import HeldRows, UnitSum
from discreet.engines.result import Run
from discreet.gradients.encoding import FEATURE_STEPS, Encoding, LabelColumn, NumberFeature, PlaceFeature
from discreet.gradients.groups import FeatureSums, LabelGroups, NearestGroups
from discreet.gradients.moments import FeatureMoments
from discreet.gradients.residuals import LogisticResidual, SoftmaxResidual
from discreet.gradients.sums import LinearGradients, hold_weights, sum_gradients
from discreet.plan.rows_plan import RowsPlan

E = TypeVar("E")

POLICY = """\
[budget]
epsilon = 10
delta = 1e-9
[tables.numbered]
unit = "person"
size = 1000
max_rows = 4
[tables.numbered.columns]
age = { lower = 0, upper = 100 }
cost = { lower = 0, upper = 400, step = 0.25 }
grade = { lower = 0, upper = 2 }
[tables.named]
unit = "name"
size = 1000
max_rows = 4
[tables.named.columns]
age = { lower = 0, upper = 100 }
cost = { lower = 0, upper = 400, step = 0.25 }
grade = { lower = 0, upper = 2 }
[tables.single]
rows_are_units = true
size = 1000
[tables.single.columns]
age = { lower = 0, upper = 100 }
cost = { lower = 0, upper = 400, step = 0.25 }
grade = { lower = 0, upper = 2 }
"""


def make_tables(seed: int = 16, people: int = 40, rows: int = 150) -> dict[str, pa.Table]:
    """Return tables of people who have none to a dozen rows: units that are numbers, texts, and the rows themselves."""
    chance = np.random.default_rng(seed)
    whose = chance.integers(-people // 2, people // 2, rows)
    columns = {
        "age": chance.integers(0, 101, rows),
        "cost": chance.integers(0, 1601, rows) / 4,
        "grade": chance.integers(0, 3, rows),
    }
    return {
        "numbered": pa.table({"person": whose, **columns}),
        "named": pa.table({"name": [f"person {each}" for each in whose], **columns}),
        "single": pa.table(columns),
    }


def select(table: str) -> str:
    """Return the rows of a table."""
    return f"SELECT age, cost, grade FROM {table}"


def list_sums(plan: RowsPlan) -> list[tuple[Encoding, UnitSum]]:
    """Return gradients at several weights and moments, over two encodings of a plan of `select`."""
    age, cost, grade = (column.grid for column in plan.columns)
    label = LabelColumn(2, grade.lower, grade.upper, 0, 2)
    plain = Encoding((NumberFeature(0, age.lower, age.upper), NumberFeature(1, cost.lower, cost.upper)), label)
    placed = Encoding((NumberFeature(1, cost.lower, cost.upper), PlaceFeature(0, 101, age.lower)), label)
    short, binary = FEATURE_STEPS << 13, Encoding(plain.features, LabelColumn(2, grade.lower, grade.upper, 0, 1))
    found: list[tuple[Encoding, UnitSum]] = []
    for gradients in (
        LinearGradients(binary, LogisticResidual(), short),
        LinearGradients(placed, SoftmaxResidual(3), short),
    ):
        for weight in (0.0, 0.4):
            weights = hold_weights(np.linspace(-weight, weight, gradients.entries).reshape(gradients.shape))
            found.append((gradients.encoding, partial(sum_gradients, gradients, weights=weights)))
    nearest = NearestGroups(((0, 0), (FEATURE_STEPS, -FEATURE_STEPS)))
    for moments in (
        FeatureMoments(placed, FEATURE_STEPS**2, labelled=False),
        FeatureSums(plain, LabelGroups(3), FEATURE_STEPS, squares=True),
        FeatureSums(plain, nearest, FEATURE_STEPS * 2),
    ):
        found.append((moments.encoding, moments.sum))
    return found


def compute_all(held: HeldRows, plan: RowsPlan) -> list[list[int]]:
    """Return the number of rows and all sums."""
    return [[held.count()], *(held.sum(encoding, function) for encoding, function in list_sums(plan))]


def wait(start: Callable[[], Run[E]]) -> E:
    """Wait for a run that nobody cancels."""
    return start().result()
