"""A small census that can be released: 600 people in 22 towns, with a policy, its ledger, public files and a spec."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

from discreet.base.wide import Ints
from discreet.curator import Curator
from discreet.topdown.planning.noise import plan_noise
from discreet.topdown.running.counts import SparseCounts
from discreet.topdown.running.estimating import fit_held, hand_out_basis, model_readings
from discreet.topdown.running.held_readings import HeldReading, simulate_readings
from discreet.topdown.running.problem import UP_AND_DOWN, CensusProblem, make_problem
from discreet.topdown.running.workers import SolverPool
from discreet.topdown.spec.census_spec import CensusSpec
from discreet.topdown.spec.reading import read_spec

KINDS, ADULT, COLOURS = ("home", "prison", "school"), ("no", "yes"), (1, 2, 3)
SHAPE = (len(KINDS), len(ADULT), len(COLOURS))
TOWNS = [(1 + place // 12, 1 + place // 4, place) for place in range(22)]
"""Region, district and place of each town; the last two towns have no district."""

POLICY = """\
[budget]
epsilon = 30
delta = 1e-9
[privacy]
neighbours = "replace"
[tables.people]
source = "people.parquet"
unit = "person"
max_rows = 1
size = 1000
version = "1"
[tables.people.columns]
kind = { values = ["home", "prison", "school"] }
adult = { values = ["no", "yes"] }
colour = { values = [1, 2, 3] }
"""

SPEC = """\
[census]
table = "people"
area = "town"

[budget]
rho = 3
delta = 1e-10

[geography]
file = "areas.csv"
levels = ["Country", "Region", "District", "Town"]

[attributes]
kind = ["home", "prison", "school"]
adult = ["no", "yes"]
colour = [1, 2, 3]

[recodes.facility]
attribute = "kind"
groups = { home = ["home"], facility = ["prison", "school"] }

[zeros.young_prisoners]
kind = ["prison"]
adult = ["no"]

[queries]
total = []
kind = ["kind"]
facility = ["facility"]
"adult x colour" = ["adult", "colour"]
detailed = ["kind", "adult", "colour"]

[levels.Country]
share = "1/10"
queries = { detailed = 1 }
[levels.Region]
share = "3/10"
queries = { total = "1/2", detailed = "1/2" }
[levels.District]
share = "3/10"
queries = { total = "1/4", "adult x colour" = "1/4", detailed = "1/2" }
[levels.Town]
share = "3/10"
queries = { kind = "1/10", detailed = "9/10" }

[invariants."region totals"]
level = "Region"
query = "total"
exact = "totals.csv"

[invariants.facilities]
level = "Town"
query = "kind"
facilities = "facilities.csv"
except = ["home"]
"""

REGROUP = ('levels = ["Country", "Region", "District", "Town"]', "[geography.regroup]\nDistrict = 3")


@dataclass(frozen=True)
class SmallCensus:
    """Where it lies, and the true counts of each town."""

    path: Path
    truth: Ints

    @property
    def folder(self) -> Path:
        return self.path.parent

    def count_charges(self) -> int:
        with sqlite3.connect(self.folder / ".discreet" / "ledger.db") as db:
            (count,) = db.execute("SELECT count(*) FROM entries WHERE kind = 'CHARGE'").fetchone()
        return int(count)


def write_small_census(folder: Path, regroup: bool = False, spec: str = SPEC) -> SmallCensus:
    """Write everything, and create the ledger."""
    random = np.random.default_rng(7)
    folder.mkdir(parents=True, exist_ok=True)
    towns = random.choice(len(TOWNS) - 1, 600, p=_weigh(random))
    kinds = np.where(random.random(600) < 0.1, random.integers(1, 3, 600), 0)
    kinds[towns % 3 == 0] = 0
    adult = np.where(kinds == 1, 1, random.integers(0, 2, 600))
    colours = random.choice(3, 600, p=[0.7, 0.25, 0.05])
    columns = {
        "person": np.arange(600),
        "town": [f"t{town}" for town in towns],
        "kind": [KINDS[each] for each in kinds],
        "adult": [ADULT[each] for each in adult],
        "colour": [COLOURS[each] for each in colours],
    }
    pq.write_table(pa.table(columns), folder / "people.parquet")
    lines = [f"land,r{region},{f'd{district}' if place < 20 else ''},t{place}" for region, district, place in TOWNS]
    (folder / "areas.csv").write_text("\n".join(["Country,Region,District,Town", *lines]) + "\n")
    regions = np.bincount([TOWNS[town][0] - 1 for town in towns])
    totals = [f"r{place + 1},{count}" for place, count in enumerate(regions)]
    (folder / "totals.csv").write_text("\n".join(["Region,count", *totals]) + "\n")
    inside = sorted({(int(town), int(kind)) for town, kind in zip(towns, kinds, strict=True) if kind})
    listed = [f"t{town},{KINDS[kind]},1" for town, kind in inside]
    (folder / "facilities.csv").write_text("\n".join(["Town,kind,count", *listed]) + "\n")
    (folder / "policy.toml").write_text(POLICY)
    old, new = REGROUP
    (folder / "census.toml").write_text(spec.replace(old, f"{old}\n{new}") if regroup else spec)
    Curator.init(folder / "policy.toml")
    truth = np.zeros((len(TOWNS), int(np.prod(SHAPE))), dtype=np.int64)
    np.add.at(truth, (towns, np.ravel_multi_index((kinds, adult, colours), SHAPE)), 1)
    found = read_spec(folder / "census.toml")
    order = [int(area[1:]) for area in found.geography.leaves.areas]
    return SmallCensus(folder / "census.toml", truth[order])


@dataclass(frozen=True, eq=False)
class Drawn:
    """A problem with readings of its truth."""

    spec: CensusSpec
    problem: CensusProblem
    truth: tuple[SparseCounts, ...]
    readings: list[HeldReading]


def draw_readings(census: SmallCensus, seed: int = 3) -> Drawn:
    """Return noisy readings of the truth: with noise of no secret, and without a curator."""
    spec = read_spec(census.path)
    leaves = SparseCounts.of_dense(census.truth)
    levels = spec.geography.levels
    truth = tuple(leaves.add_up(spec.geography.ancestors[place], len(level)) for place, level in enumerate(levels))
    plans = [HeldReading(each.level, each.query, each.variance, each.sigma, Path()) for each in plan_noise(spec).draws]
    readings = simulate_readings(plans, truth, census.folder, np.random.default_rng(seed))
    return Drawn(spec, make_problem(spec), truth, readings)


def prepare_fit(drawn: Drawn, pool: SolverPool, objective: str = UP_AND_DOWN) -> Any:
    """Return the least squares fit, its basis handed out."""
    model = model_readings(drawn.problem, drawn.readings)
    hand_out_basis(drawn.problem, model, pool, objective)
    return fit_held(drawn.problem, model, drawn.readings)


def _weigh(random: np.random.Generator) -> Sequence[float]:
    weights = random.lognormal(0, 1.0, len(TOWNS) - 1)
    return list(weights / weights.sum())
