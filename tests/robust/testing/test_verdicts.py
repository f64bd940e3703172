"""The smallest p-values that tests can tell, and how that is said."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from discreet import robust
from discreet.curator import Curator
from discreet.robust import PopulationTest
from discreet.robust.testing.verdicts import LEAST, SIMULATED, SIMULATED_LAWS
from support.clinic import VISITS, open_clinic

FAR: dict[str, tuple[Callable[[Curator], PopulationTest], float, str]] = {
    "chi-square": (
        lambda c: robust.chi_square_test(c, "patients", "sex", shares={"f": 0.99, "m": 0.01}, epsilon=50),
        SIMULATED,
        "p <= 0.0006,",
    ),
    "Kruskal-Wallis": (
        lambda c: robust.kruskal_wallis_test(c, "visits", "age", by="age // 30", groups=[0, 1, 2], epsilon=50),
        SIMULATED,
        "p <= 0.0006,",
    ),
    "anova": (
        lambda c: robust.anova(c, "visits", "age", by="age // 30", groups=[0, 1, 2], epsilon=50),
        SIMULATED_LAWS,
        "p <= 0.00011,",
    ),
    "t test": (lambda c: robust.t_test(c, "visits", "age", mean=110, epsilon=50), LEAST, "p <= 1e-09,"),
}


@pytest.mark.many
@pytest.mark.parametrize("name", FAR)
def test_the_smallest_p_value_is_told_as_a_bound(name: str, tmp_path: Path) -> None:
    ask, least, words = FAR[name]
    with open_clinic(tmp_path, VISITS, epsilon=500.0, delta=1e-8) as curator:
        found = ask(curator)
    assert found.p_value == pytest.approx(least, rel=1e-6)
    assert found.verdict == f"{words} the smallest p-value that this test can tell"
    assert found.to_dict()["least_p_value"] == least


def test_larger_p_values_are_told_as_they_are(tmp_path: Path) -> None:
    with open_clinic(tmp_path, VISITS, epsilon=500.0, delta=1e-8) as curator:
        found = robust.chi_square_test(curator, "patients", "sex", shares={"f": 0.5, "m": 0.5}, epsilon=50)
    assert found.p_value > 0.001
    assert found.verdict == f"p = {found.p_value:.3g}"
