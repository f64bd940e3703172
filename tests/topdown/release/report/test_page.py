"""The quality report: pictures and numbers of a release, and nothing that runs."""

from __future__ import annotations

import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.topdown.making import run
from discreet.topdown.release.census_release import CensusRelease
from discreet.topdown.release.report.icicle import draw_icicle, merge_narrow
from discreet.topdown.release.report.page import write_report
from discreet.topdown.release.report.quality import AreaLevel, measure_quality
from topdown.small_release import SmallCensus


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


def test_narrow_areas_are_drawn_together_and_none_is_lost() -> None:
    ends = np.cumsum(np.random.default_rng(1).random(500) * 0.01)
    runs = merge_narrow(ends, 0.8)
    assert [place for first, stop in runs for place in range(first, stop)] == list(range(500))
    assert len(runs) < 10
