"""The best of several settings: paid for whole, the score included, one row journaled, refused before a charge."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from curator.door.test_wings import die, kill_in_child, kinds
from discreet.base.errors import DiscreetError, ParameterError
from discreet.curator.door import tries
from discreet.gradients.errors import ERROR_STEPS
from discreet.gradients.residuals import LogisticResidual
from discreet.gradients.sums import GRADIENT_STEPS, LinearGradients
from discreet.learn import LinearModel, Setting, fit_best, load_model
from discreet.learn.allowance import GaussianAllowance, read_gaussian_allowance, read_try_allowance
from discreet.learn.best_from_table import prepare_best_training
from discreet.learn.choosing import SCORE_SHARE, read_settings, read_tries, try_training
from discreet.learn.descent import STEPS
from discreet.learn.report.page import render_learning_page
from discreet.learn.source import DeskSource, MemorySource
from discreet.mechanisms import Gaussian
from discreet.privacy import BestOfLoss
from discreet.privacy.charges import charge_of, round_charge
from support.clinic import Visit, open_clinic
from support.encoded import ENCODING, draw_points

HALF = Fraction(1, 2)
RNG = np.random.default_rng(16)
AGES = RNG.integers(0, 111, 3000)
ROWS: list[Visit] = [
    (number, int(age), float(abs(age - 55) * 60 + RNG.normal() * 100), str(RNG.choice(["north", "south", "icu"])))
    for number, age in enumerate(AGES)
]
TABLE = pa.table({"age": [row[1] for row in ROWS], "ward": [row[3] for row in ROWS]})
TRUTH = np.array([cost > 1500 for _, _, cost, _ in ROWS if cost is not None])
HOW: dict[str, Any] = {
    "target": "cost > 1500",
    "features": ["age"],
    "settings": [{}, {"bins": {"age": 11}}],
    "epsilon": 4,
    "tries": 2,
}
ONE_ROW = "max_rows = 1"


@pytest.fixture
def all_count(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tries, "toss_coins", lambda loss: [True] * loss.tries)


@pytest.mark.usefixtures("all_count")
def test_the_best_setting_is_paid_once_recorded_and_free_again(tmp_path: Path) -> None:
    with open_clinic(tmp_path, ROWS, epsilon=20.0, limits=ONE_ROW) as curator:
        model = fit_best(curator, "logistic", "visits", **HOW)
        assert model.choice is not None
        assert model.choice.place == 1, "a line through the ages fits nothing here"
        assert model.choice.settings == ("as usual", "bins age: 11")
        assert np.mean(model.predict(TABLE) == TRUTH) > 0.9
        assert kinds(curator) == ["CREATE", "CHARGE", "MEASURE", "RECORD"]
        best = prepare_best_training(curator.session(), "logistic", "visits", **HOW)
        assert model.receipt is not None
        assert model.receipt.charge == round_charge(charge_of(best.loss))
        again = fit_best(curator, "logistic", "visits", **HOW)
        assert again.receipt is not None
        assert again.receipt.paid == "free"
        assert again.weights.tolist() == model.weights.tolist()
        assert again.choice == model.choice

        (row,) = [entry for entry in curator.ledger.entries() if entry.kind == "MEASURE"]
        assert "setting" not in repr(row)
        model.save(tmp_path / "model.json")
        again_loaded = load_model(tmp_path / "model.json")
        assert isinstance(again_loaded, LinearModel)
        assert again_loaded.choice == model.choice
        page = render_learning_page(model)
        assert "setting 2 of 2 (bins age: 11), the best of up to 2 tries: how many counted is secret" in page
        assert "nothing was tuned" not in page


@pytest.mark.usefixtures("all_count")
def test_the_record_holds_the_winner_and_nothing_of_the_losers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    drawn: list[Sequence[int]] = []
    plain = DeskSource.draw_moments

    def draw(self: DeskSource, *rest: Any) -> Sequence[int]:
        drawn.append(plain(self, *rest))
        return drawn[-1]

    monkeypatch.setattr(DeskSource, "draw_moments", draw)
    with open_clinic(tmp_path, ROWS, epsilon=20.0, limits=ONE_ROW) as curator:
        session = curator.session()
        best = prepare_best_training(session, "logistic", "visits", **HOW)
        started = session.start(best)
        measured = json.loads(started._future.result()[0])
        assert set(measured) == {"setting", "trained"}
        assert len(drawn) == 2
        assert drawn[measured["setting"]] == min(drawn, key=list)
        assert set(measured["trained"]) == {"weights", "rows", "settings", "noise"}


@pytest.mark.parametrize(("epsilon", "tries"), [(0.5, 4), (3, 10)])
def test_a_try_gets_what_the_best_of_all_leaves_it(epsilon: float, tries: int) -> None:
    allowance, loss = read_try_allowance(epsilon, 1e-6, None, tries, HALF)
    whole = read_gaussian_allowance(epsilon, 1e-6)
    assert loss == BestOfLoss(allowance.loss, tries, HALF)
    assert 0.99 * epsilon < loss.epsilon(1e-6).high <= epsilon
    assert whole.rho / tries < allowance.rho < whole.rho, "more than an even share of it"
    _, by_rho = read_try_allowance(None, None, 0.1, tries, HALF)
    assert 0.099 < by_rho.zcdp() <= 0.1


class Recorded(MemorySource):
    """Remembers every noise that was drawn, by the length that it hides."""

    def __init__(self, points: Any) -> None:
        super().__init__(points)
        self.spent: list[Fraction] = []

    def spend(self, length: int, noise: Gaussian) -> None:
        self.spent.append(Fraction(length) ** 2 / (2 * Fraction(noise.sigma) ** 2))

    def draw_count(self, noise: Gaussian) -> int:
        self.spend(self.most_rows, noise)
        return super().draw_count(noise)

    def draw_gradients(self, gradients: Any, weights: Any, noise: Gaussian) -> Sequence[int]:
        self.spend(gradients.clip, noise)
        return super().draw_gradients(gradients, weights, noise)

    def draw_moments(self, moments: Any, noise: Gaussian) -> Sequence[int]:
        self.spend(ERROR_STEPS, noise)
        return super().draw_moments(moments, noise)


def test_the_score_s_noise_is_part_of_what_a_try_costs() -> None:
    allowance = GaussianAllowance(Fraction(1, 10))
    source = Recorded(draw_points(np.random.default_rng(1), 500))
    gradients = LinearGradients(ENCODING, LogisticResidual(), GRADIENT_STEPS)
    trained, error = try_training(source, gradients, "logistic", allowance, 1.0)
    assert len(source.spent) == STEPS + 2
    assert math.isclose(source.spent[-1], allowance.rho * SCORE_SHARE, rel_tol=1e-9)
    assert 0.999 * allowance.rho < sum(source.spent) <= allowance.rho
    assert isinstance(error, int)
    assert error != try_training(source, gradients, "logistic", allowance, 1.0)[1]
    assert len(trained.weights) == gradients.entries


def test_patience_says_how_long_to_descend() -> None:
    source, allowance = Recorded(draw_points(np.random.default_rng(1), 500)), GaussianAllowance(Fraction(1, 100))
    gradients = LinearGradients(ENCODING, LogisticResidual(), GRADIENT_STEPS)
    little, usual, much = (
        try_training(source, gradients, "logistic", allowance, patience)[0].settings for patience in (0.25, 1, 4)
    )
    times = [each.rate / (1 - each.momentum) for each in (little, usual, much)]
    assert times[0] * 2 < times[1] < times[2] / 2  # four times each, but for the noise in the number of rows


def test_a_run_that_is_killed_begins_anew_and_is_paid_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    open_clinic(tmp_path, ROWS, limits=ONE_ROW).close()
    how = HOW | {"epsilon": 1}

    def killed() -> None:
        monkeypatch.setattr(DeskSource, "draw_moments", lambda *_: die())
        with open_clinic(tmp_path, ROWS, limits=ONE_ROW) as curator:
            fit_best(curator, "logistic", "visits", **how)

    kill_in_child(killed)
    with open_clinic(tmp_path, ROWS, limits=ONE_ROW) as curator:
        assert kinds(curator) == ["CREATE", "CHARGE"]
        fit_best(curator, "logistic", "visits", **how)
        assert kinds(curator).count("CHARGE") == kinds(curator).count("MEASURE") == 1
        assert curator.ledger.verify().ok


@pytest.mark.many
@pytest.mark.parametrize(
    ("given", "said"),
    [
        ({"settings": []}, "a list of 2 to 100 settings"),
        ({"settings": [{}]}, "a list of 2 to 100 settings"),
        ({"settings": "age"}, "a list of 2 to 100 settings"),
        ({"settings": [{}, {"rate": 3}]}, "a dictionary with some of features, bins, patience"),
        ({"settings": [{}, 3]}, "a dictionary with some of"),
        ({"settings": [{}, {"patience": 0}]}, "patience must be"),
        ({"settings": [{}, {"bins": {"nothing": 3}}]}, "columns of the table"),
        ({"settings": [{}, {"features": "age"}]}, "a list of columns"),
        ({"settings": [{}, {"features": ["nothing * 2"]}]}, "features must be"),
        ({"tries": 3}, "a multiple of 2"),
        ({"tries": 1}, "tries must be"),
        ({"tries": 2.5}, "tries must be"),
        ({"model": "forest"}, "model must be one of"),
        ({"epsilon": None}, "epsilon must be given"),
        ({"delta": 2.0}, "delta must be"),
        ({"epsilon": 500}, "does not fit into what is left"),
        ({"epsilon": 1e-9}, "larger, or make fewer tries"),
    ],
    ids=str,
)
def test_what_cannot_be_chosen_is_refused_and_nothing_is_charged(
    tmp_path: Path, given: dict[str, Any], said: str
) -> None:
    with open_clinic(tmp_path) as curator:
        how = {"model": "logistic"} | HOW | given
        with pytest.raises(DiscreetError, match=said):
            fit_best(curator, how.pop("model"), "visits", **how)
        assert kinds(curator) == ["CREATE"]


def test_all_tries_together_must_not_take_long_for_one_person(tmp_path: Path) -> None:
    with open_clinic(tmp_path, limits="max_rows = 100") as curator:
        prepare_best_training(curator.session(), "logistic", "visits", **HOW)
        with pytest.raises(DiscreetError, match="time would tell whether it is there; keep at most"):
            prepare_best_training(curator.session(), "logistic", "visits", **(HOW | {"tries": 40}))


def test_settings_say_what_they_are() -> None:
    given = read_settings([{"features": ["age", "ward"], "patience": 2}, Setting(bins={"age": 3})])
    assert [str(each) for each in given] == ["features age, ward; patience 2", "bins age: 3"]
    assert read_tries(None, 3) == 6
    assert read_tries(9, 3) == 9
    with pytest.raises(ParameterError, match="patience"):
        Setting(patience=1000)
