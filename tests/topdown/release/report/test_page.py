"""The quality report: pictures and numbers of a release, and nothing that runs."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.topdown.making import run
from discreet.topdown.planning.expected_errors import plan_errors
from discreet.topdown.release.census_release import CensusRelease
from discreet.topdown.release.report.icicle import draw_icicle, merge_narrow
from discreet.topdown.release.report.page import render_page, write_report
from discreet.topdown.release.report.quality import AreaLevel, measure_quality
from topdown.small_release import SmallCensus
from topdown.spec.small_census import read_census


def test_a_page_has_pictures_numbers_and_the_guarantee(small_release: CensusRelease, tmp_path: Path) -> None:
    path = write_report(small_release, tmp_path / "report.html")
    page = path.read_text()
    assert page.count("<svg") == 3
    for words in ("Where errors are", "Bias of small cells", "What is guaranteed", "region totals", "adult x colour"):
        assert words in page
    assert "every invariant holds" in page
    assert "<script" not in page
    body = re.search(r"<main>.*</main>", page, re.DOTALL)
    assert body is not None
    ElementTree.fromstring(body[0])


def test_the_text_has_the_same_numbers_for_programs_too(small_release: CensusRelease) -> None:
    quality = measure_quality(small_release)
    text = str(quality)
    assert "simulated in 20 replications" in text
    assert "largest gap" in text
    told = quality.to_dict()
    assert told["inconsistencies"] == []
    errors = {(each["level"], each["query"]): each["error"] for each in told["queries"]}
    assert errors["Region", "total"] == 0
    assert errors["Town", "detailed"] > 0
    assert sum(each.areas for each in quality.sizes) == 32


def test_sizes_are_those_that_were_released_and_a_bias_has_its_error(small_release: CensusRelease) -> None:
    quality = measure_quality(small_release)
    for told in (str(quality), render_page(quality)):
        assert "true size" not in told
        assert "released size" in told
        assert "its error" in told
    assert "bias and its standard error over 20 replications" in str(quality)
    head, *lines = quality.list_cells()
    assert head == ["level", "released size", "simulated", "bias", "its error", "error"]
    assert all(len(line) == len(head) for line in lines)
    empty = next(line for line in lines if line[:2] == ["Town", "0"])
    assert float(empty[3]) > 0, "no count is below 0, so empty cells gain"


@pytest.mark.slow
def test_of_few_replications_no_bias_is_told_and_how_to_get_one_is(small_release: CensusRelease) -> None:
    errors = [each.to_dict() for each in small_release.errors]
    for query in errors:
        query["classes"] = [{**each, "bias": None, "bias_error": None} for each in query["classes"]]
    quality = measure_quality(replace(small_release, told={**small_release.told, "replications": 1, "errors": errors}))
    assert not quality.tells_bias
    page = render_page(quality)
    for told in (str(quality), page):
        assert "in 1 replication" in told
        assert "A bias is told from 10 replications on, and there were 1" in told
        assert "--replications 20" in told
    assert "Bias of small cells" not in page
    assert page.count("<svg") == 2
    assert "bias" not in quality.list_cells()[0]


@pytest.mark.slow
def test_rho_is_an_exact_fraction_with_a_decimal_beside_it(small_release: CensusRelease, tmp_path: Path) -> None:
    receipt = {**small_release.told["receipt"], "rho": "10/3"}
    found = replace(small_release, told={**small_release.told, "receipt": receipt})
    assert "rho 10/3 (3.333): epsilon" in str(found)
    assert "<dt>rho</dt><dd>10/3 (3.333)</dd>" in render_page(measure_quality(found))
    spec = read_census(tmp_path, ('rho = "5/2"', 'rho = "10/3"'))
    assert "rho 10/3 (3.333), delta" in str(spec)
    assert "rho 10/3 (3.333): epsilon" in str(plan_errors(spec))


def test_a_certified_epsilon_is_never_shown_smaller_than_it_is(small_release: CensusRelease) -> None:
    receipt = {**small_release.told["receipt"], "epsilon": [{"delta": "1/1000000000", "epsilon": 11.0126}]}
    found = replace(small_release, told={**small_release.told, "receipt": receipt})
    for shown in (str(found), render_page(measure_quality(found))):
        assert "11.013 at delta 1e-9, certified" in shown
        assert "11.01 " not in shown


@pytest.mark.slow
def test_without_simulation_errors_are_left_out(small_census: SmallCensus, tmp_path: Path) -> None:
    bare = run(small_census.path, tmp_path / "bare", workers=1, replications=0)
    page = write_report(bare, tmp_path / "bare.html").read_text()
    assert "Where errors are" not in page
    assert "How the numbers were found" in page
    assert "Errors, simulated" not in str(measure_quality(bare))


def test_only_pages_are_written(small_release: CensusRelease, tmp_path: Path) -> None:
    with pytest.raises(ParameterError, match="html"):
        write_report(small_release, tmp_path / "report.pdf")


def test_areas_are_as_wide_as_they_have_people_and_darker_with_their_errors() -> None:
    whole = AreaLevel("all", ("all",), np.zeros(1, dtype=np.int64), np.array([100.0]), np.array([0.1]))
    names = ("north", 'so"<uth>')
    parts = AreaLevel("part", names, np.zeros(2, dtype=np.int64), np.array([75.0, 25.0]), np.array([0.2, 0.0]))
    drawing = ElementTree.fromstring(draw_icicle([whole, parts]))
    boxes = list(drawing.iter("rect"))[:3]
    wide = [float(each.attrib["width"]) for each in boxes]
    assert wide[1] / wide[2] == pytest.approx(3, rel=0.01)
    dark = [float(each.attrib["fill-opacity"]) for each in boxes]
    assert dark[1] == 1.0 > dark[0] > dark[2]


def test_an_area_without_people_neither_hides_a_name_nor_sets_the_scale() -> None:
    whole = AreaLevel("all", ("land",), np.zeros(1, dtype=np.int64), np.array([100.0]), np.array([0.1]))
    people, shares = np.array([0.0, 60.0, 0.0, 40.0]), np.array([0.9, 0.2, 0.9, 0.0])
    names = ("empty", "north", "bare", "south")
    parts = AreaLevel("part", names, np.zeros(4, dtype=np.int64), people, shares)
    drawing = draw_icicle([whole, parts])
    for words in (">north</text>", ">south</text>", ">20.0%</text>"):
        assert words in drawing
    for words in ("empty", "bare", "90.0%", "2 areas"):
        assert words not in drawing


def test_narrow_areas_are_drawn_together_and_none_is_lost() -> None:
    ends = np.cumsum(np.random.default_rng(1).random(500) * 0.01)
    runs = merge_narrow(ends, 0.8)
    assert [place for first, stop in runs for place in range(first, stop)] == list(range(500))
    assert len(runs) < 10
