"""BitRates of bits, and counts that no reports can have."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.local.client import ClientError, Rappor
from discreet.local.rappor.rates import check_counts, estimate_rates, read_counts, read_parameters

SMALL = Rappor.take(4, 1, 2, 0.25, 0.75, 0.5)
COUNTS = np.array([[1000, 375, 625, 500, 0], [0, 0, 0, 0, 0]])


def test_rates_are_unbiased_and_variances_are_those_of_coins() -> None:
    """p* is 3/8 and q* is 5/8."""
    rates = estimate_rates(SMALL, COUNTS)
    assert np.allclose(rates.shares[0], [0, 1, 0.5, -1.5])
    assert np.allclose(rates.variances[0], np.array([15 / 64, 15 / 64, 1 / 4, 15 / 64]) * 16 / 1000)


def test_a_cohort_without_reports_weighs_nothing() -> None:
    assert (estimate_rates(SMALL, COUNTS).weights[1] == 0).all()


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda counts: counts[:, :-1], "2 lines of 5 numbers"),
        (lambda counts: counts[:1], "2 lines of 5 numbers"),
        (lambda counts: counts / 1.0, "whole numbers"),
        (lambda counts: np.full_like(counts, np.nan, dtype=float), "whole numbers"),
        (lambda counts: -counts, "from 0"),
        (lambda counts: counts * (1 << 50), "from 0 to 2"),
        (lambda counts: counts[:, ::-1], "at most 0, the reports of cohort 0"),
        (lambda counts: counts * 0, "at least one report"),
    ],
)
def test_garbage_is_refused(change: object, told: str) -> None:
    with pytest.raises(ParameterError, match=told):
        check_counts(SMALL, change(COUNTS))  # type: ignore[operator]


def test_files_of_counts_and_parameters_are_read(tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text("1000,375,625,500,0\n0,0,0,0,0\n")
    (tmp_path / "params.csv").write_text('"k","h","m","p","q","f"\n4,1,2,0.25,0.75,0.5\n')
    mechanism = read_parameters(tmp_path / "params.csv")
    assert mechanism == SMALL
    assert (read_counts(mechanism, tmp_path / "counts.csv") == COUNTS).all()


@pytest.mark.parametrize("text", ["1000,375,625,500,0\n0,0\n", "a,b,c,d,e\n", "1.5,0,0,0,0\n0,0,0,0,0\n", ""])
def test_files_of_counts_that_make_no_sense_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "counts.csv").write_text(text)
    with pytest.raises(ParameterError):
        read_counts(SMALL, tmp_path / "counts.csv")


@pytest.mark.parametrize(
    "text",
    [
        "k,h,m,p,q\n32,2,64,0.5,0.75\n",
        "k,h,m,p,q,f\n",
        "k,h,m,p,q,f\n32,2,64,0.5,0.75,0.6\nextra\n",
        "k,h,m,p,q,f\n32,two,64,0.5,0.75,0.6\n",
        "k,h,m,p,q,f\n32,2,64,0.5,0.5,0.6\n",
    ],
)
def test_files_of_parameters_that_make_no_sense_are_refused(text: str, tmp_path: Path) -> None:
    (tmp_path / "params.csv").write_text(text)
    with pytest.raises((ParameterError, ClientError)):
        read_parameters(tmp_path / "params.csv")
