"""Whoever names no price is told what some would give, by public facts."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from discreet.base.errors import QueryError
from support.clinic import open_clinic


def test_means_are_offered_at_the_number_of_values_that_explain_assumes(tmp_path: Path) -> None:
    question = "SELECT ward, AVG(age) AS m, MEDIAN(age) AS q FROM visits GROUP BY ward"
    with open_clinic(tmp_path) as curator:
        with pytest.raises(QueryError, match="say how much privacy to spend") as refused:
            curator.ask(question)
        assumed = re.search(r"where it is of ([\d,]+) values", str(curator.explain(question, 1)))
        assert assumed is not None
        assert str(refused.value).count(f"(where it is of {assumed[1]} values)") == 3
        assert str(refused.value).count("quantile 0.5 of age (depends on the data)") == 3
        last = re.search(r"epsilon=1.0: mean of age \+- ([\d.]+) ", str(refused.value))
        assert last is not None
        assert f"+- {last[1]}" in str(curator.explain(question, 1))
