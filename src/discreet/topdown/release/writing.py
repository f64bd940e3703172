"""Write a release into its folder: tables, microdata, measurements, what was simulated, and the receipt."""

from __future__ import annotations

import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from discreet.topdown.estimate.tree_fit import TreeFit
from discreet.topdown.release import measured, microdata, receipt
from discreet.topdown.release.rows import PARQUET, describe_labels, write_rows
from discreet.topdown.release.tables import FOLDER, TablePlan, TableWriter, plan_tables, write_part, write_published
from discreet.topdown.running.counts import SparseCounts
from discreet.topdown.running.error_sums import ErrorKey, SimulatedErrors
from discreet.topdown.running.estimating import AreaWatch, hand_out_job
from discreet.topdown.running.held_readings import HeldReading
from discreet.topdown.running.problem import CensusProblem
from discreet.topdown.running.regrouped import model_published
from discreet.topdown.running.run_folder import write_json_file
from discreet.topdown.running.simulating import find_finest
from discreet.topdown.running.size_errors import QueryErrors
from discreet.topdown.running.solving import FIGURES, METHODS, SolvedAreas
from discreet.topdown.running.workers import SolverPool
from discreet.topdown.solve.checking import check_release
from discreet.topdown.spec.census_spec import CensusSpec

AREAS = "areas.parquet"
MOST_WORDS = 100
"""Violations that are told one by one."""


@dataclass(frozen=True, eq=False)
class ReleaseWriter:
    """All that a release is made of."""

    spec: CensusSpec
    problem: CensusProblem
    fit: TreeFit
    levels: Sequence[SolvedAreas]
    errors: Mapping[ErrorKey, QueryErrors]
    simulated: SimulatedErrors | None
    folder: Path
    files: str = PARQUET
    """What tables are written as."""

    def write(
        self,
        readings: Sequence[HeldReading],
        pool: SolverPool,
        paid: dict[str, Any],
        watch: AreaWatch | None,
    ) -> dict[str, Any]:
        """Write everything, and return what is said of it in the list of its files."""
        hand_out_job(self.fit, readings, pool)
        shutil.rmtree(self.folder / FOLDER, ignore_errors=True)
        plans = self._plan_tables()
        tasks = [*self._list_tables(plans), *self._list_measured(readings)]
        done, areas = 0, sum(len(level) for level in self.problem.geography.levels)
        for written in pool.map(tasks):
            done += written
            if watch is not None:
                watch("writing tables", done, areas)
        leaves = self.problem.geography.leaves
        people = microdata.write_microdata(
            self.folder / microdata.FILE, self.spec.area, leaves.areas, self.problem.schema, self.levels[-1].counts
        )
        write_rows(self.folder / AREAS, self._list_areas())
        write_json_file(self.folder / receipt.FILE, paid)
        return self._describe(plans, readings, people, paid)

    def _plan_tables(self) -> list[TablePlan]:
        levels = self.problem.geography.levels
        sizes = [
            (level.name, len(self.problem.regrouped[level.name].areas if self._is_regrouped(place) else level))
            for place, level in enumerate(levels)
        ]
        return plan_tables(sizes, {query.name: query.size for query in self.problem.queries}, kind=self.files)

    def _count_shown(self, plan: TablePlan) -> int:
        """Return how many areas of a level are published: none that stands in for a level that was skipped."""
        return plan.areas if self._is_regrouped(plan.level) else int(self.problem.shown[plan.level].sum())

    def _is_regrouped(self, level: int) -> bool:
        return self.problem.geography.levels[level].name in self.problem.regrouped

    def _list_tables(self, plans: Sequence[TablePlan]) -> list[Any]:
        """Return a task for each part of each level's tables."""
        writer = TableWriter(self.spec.axes, self.folder)
        tasks: list[Any] = []
        for plan in plans:
            for file in plan.files:
                (self.folder / (file.parent if plan.parts == 1 else file)).mkdir(parents=True, exist_ok=True)
            if self._is_regrouped(plan.level):
                known = self.problem.regrouped[plan.name]
                model = model_published(self.fit.model, plan.level, known.places, plan.areas)
                counts = self.levels[-1].counts.add_up(known.places, plan.areas)
                for part in range(plan.parts):
                    tasks.append((write_published, (writer, plan, part, counts[plan.cut(part)], model)))
                continue
            for part in range(plan.parts):
                some = plan.cut(part)
                given = writer, plan, part, some.start, self.levels[plan.level].counts[some]
                tasks.append((write_part, given))
        return tasks

    def _list_measured(self, readings: Sequence[HeldReading]) -> list[Any]:
        tasks: list[Any] = []
        for place, file, first, last in measured.plan_measurements(self.problem.geography, readings):
            path = self.folder / file
            path.parent.mkdir(parents=True, exist_ok=True)
            tasks.append((measured.write_measured, (self.spec.axes, readings[place], path, first, last)))
        return tasks

    def _list_areas(self) -> pa.Table:
        """Return a row for each measured area: its parent, its people, and its simulated errors."""
        parts = []
        for place, level in enumerate(self.problem.geography.levels):
            above = self.problem.geography.levels[max(place - 1, 0)]
            counts: SparseCounts = self.levels[place].counts
            columns: dict[str, Any] = {
                "level": [level.name] * len(level),
                "area": list(level.areas),
                "parent": [above.areas[parent] if place else None for parent in level.parents],
                "people": counts.people,
            }
            for name in ("total", "spread"):
                found = np.full(len(level), np.nan)
                if self.simulated is not None:
                    found = self.simulated.areas[place].average(name)
                columns[f"{name}_error"] = pa.array(found, from_pandas=True)
            parts.append(pa.table(columns))
        return pa.concat_tables(parts, promote_options="permissive")

    def _describe(
        self, plans: Sequence[TablePlan], readings: Sequence[HeldReading], people: int, paid: dict[str, Any]
    ) -> dict[str, Any]:
        tables = [
            {
                "level": plan.name,
                "areas": plan.areas,
                "query": query.name,
                "file": str(plan.files[place]),
                "labels": describe_labels(self.spec.axes[query.name]),
            }
            for plan in plans
            for place, query in enumerate(self.problem.queries)
        ]
        return {
            "spec": self.spec.digest,
            "file": str(self.spec.path),
            "table": self.spec.table,
            "people": people,
            "levels": [[plan.name, self._count_shown(plan)] for plan in plans],
            "cells": self.problem.schema.cells,
            "tables": tables,
            "measurements": measured.describe_measured(self.problem.geography, readings),
            "finest": find_finest(self.problem.queries).name,
            "errors": [each.to_dict() for each in self.errors.values()],
            "inconsistencies": self._check(),
            "solves": [self._describe_solves(place) for place in range(len(self.levels))],
            "receipt": paid,
        }

    def _check(self) -> list[str]:
        """Return what a program of its own finds wrong with the counts of all levels."""
        counts = [each.counts.to_csr() for each in self.levels]
        found = check_release(self.problem.geography, self.problem.schema, self.problem.stated, counts)
        return [f"{each.level} {each.area}: {each.what}" for each in found[:MOST_WORDS]]

    def _describe_solves(self, place: int) -> dict[str, Any]:
        """Return how the solves of a level went."""
        solved = self.levels[place]
        columns = dict(zip(FIGURES, solved.figures.T, strict=True))
        share = columns["gap"] / np.maximum(columns["objective"], 1.0)
        methods = np.bincount(columns["method"].astype(np.int64), minlength=len(METHODS))
        return {
            "level": self.problem.geography.levels[place].name,
            "solves": len(solved.figures),
            "largest_gap": float(share.max(initial=0.0)),
            "largest_rounding_gap": float(columns["rounding_gap"].max(initial=0.0)),
            "methods": {name: int(count) for name, count in zip(METHODS, methods, strict=True)},
            "violations": list(solved.violations[:MOST_WORDS]),
            "violated": len(solved.violations),
        }
