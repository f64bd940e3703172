"""A plan says what a release costs and how far it will be off, and costs nothing."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from discreet.topdown.planning.expected_errors import Deviations, plan_errors
from discreet.topdown.planning.noise import CensusNoise, plan_noise
from discreet.topdown.spec.census_spec import CensusSpec
from topdown.spec.small_census import read_census


def test_every_query_at_every_level_has_its_error_and_those_not_measured_none(tmp_path: Path) -> None:
    spec = read_census(tmp_path)
    plan = plan_errors(spec)
    assert len(plan.errors) == 12
    noise = plan_noise(spec)
    found = plan.find("Town", "kind")
    draw = noise.find(2, "kind")
    assert draw is not None
    assert (found.areas, found.answers, found.rho, found.sigma) == (4, 3, draw.rho, draw.sigma)
    assert found.raw == pytest.approx((draw.sigma**2 + 1 / 12) ** 0.5)
    none = plan.find("Region", "total")
    assert none.rho == 0
    assert (none.sigma, none.raw, none.estimated) == (None, None, None)
    assert plan.epsilon == noise.certify().high
    assert plan.spent <= plan.rho
    assert sum(each.rho for each in plan.errors) == plan.rho


def test_no_private_row_is_read(tmp_path: Path) -> None:
    spec = read_census(tmp_path)
    assert not (tmp_path / "people.parquet").exists()
    assert plan_errors(spec).epsilon > 0


def test_a_model_says_what_estimates_err(tmp_path: Path) -> None:
    spec = read_census(tmp_path)

    def halve(spec: CensusSpec, noise: CensusNoise) -> Deviations:
        return {(draw.level, draw.query.name): draw.sigma / 2 for draw in noise.draws} | {(1, "total"): 3.0}

    plan = plan_errors(spec, model=halve)
    assert plan.find("Region", "total").estimated == 3.0
    town = plan.find("Town", "kind")
    assert town.sigma is not None
    assert town.estimated == town.sigma / 2
    assert "estimate's" in str(plan)
    assert "estimate's" not in str(plan_errors(spec))


def test_what_measurements_do_not_determine_has_no_error(tmp_path: Path) -> None:
    def know_nothing(spec: CensusSpec, noise: CensusNoise) -> Deviations:
        return dict.fromkeys([(0, "total"), (0, "kind")], float("inf"))

    plan = plan_errors(read_census(tmp_path), model=know_nothing)
    assert plan.find("Country", "kind").estimated is None
    assert plan.undetermined == {}, "the model says nothing of any query"
    assert "inf" not in json.dumps(plan.to_dict()).lower()


def test_it_reads_as_a_table_and_as_json(tmp_path: Path) -> None:
    plan = plan_errors(read_census(tmp_path))
    lines = str(plan).split("\n")
    assert lines[0].startswith("rho 5/2 (2.5): epsilon ")
    assert lines[0].endswith(" at delta 1e-10, certified")
    assert float(lines[0].split()[4]) >= plan.epsilon
    assert lines[2].split() == ["level", "areas", "query", "answers", "share", "of", "rho", "raw", "error"]
    assert len([line for line in lines if line.startswith(("Country", "Region", "Town"))]) == 5
    assert "the guarantee holds between databases that" in str(plan)
    told = json.loads(json.dumps(plan.to_dict()))
    assert told["rho"] == "5/2"
    assert told["errors"][0]["query"] == "total"
    assert len(told["errors"]) == 12


def test_what_no_measurement_determines_is_said_to_be_published_without_margins(tmp_path: Path) -> None:
    def know_some(spec: CensusSpec, noise: CensusNoise) -> Deviations:
        names = [query.name for query in spec.queries]
        return {(level, name): 1.0 for level in (0, 1) for name in names} | {(2, "kind"): 1.0, (2, "total"): 1.0}

    plan = plan_errors(read_census(tmp_path), model=know_some)
    assert plan.undetermined == {"Town": ["facility", "detailed"]}
    told = "no measurement determines facility, detailed in every area of Town: published without margins where none"
    assert told in str(plan)
    assert plan.to_dict()["undetermined"] == {"Town": ["facility", "detailed"]}
    assert plan_errors(read_census(tmp_path)).undetermined == {}
