"""Selection questions through `ask` and `choose`: what is chosen, what it costs, what is told and what is not."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from discreet import CandidateRange
from discreet.base.errors import ParameterError, QueryError
from discreet.curator import Curator
from discreet.mechanisms import Exponential, PermuteAndFlip
from discreet.noise.bits import replayed
from discreet.query.price_choice import find_shortfall
from discreet.query.scores import LargestSum, ThresholdScore, WeightedMeasures
from support.clinic import VISITS, Visit, open_clinic
from support.sampling import GeneratorBits

POLICY = """\
[budget]
epsilon = 1000
{delta}
[privacy]
neighbours = "{neighbours}"
[tables.bids]
unit = "buyer"
identifies = "person"
version = "1"
size = 1_000_000
max_rows = 1
[tables.bids.columns]
bid = {{ lower = 0, upper = 10, step = 0.01 }}
[tables.people]
unit = "person"
identifies = "person"
version = "1"
size = 1_000_000
max_rows = 1
[tables.people.columns]
eye_colour = {{ values = ["blue", "brown", "green"] }}
"""
BIDS = [1.00, 1.00, 1.00, 4.01]
EYES = ["brown"] * 60 + ["blue"] * 30 + ["green"] * 10
REVENUE = "SUM(CASE WHEN bid >= $candidate THEN $candidate ELSE 0 END)"
PRICES = [1.00, 1.01, 4.01, 4.02]


@contextmanager
def market(
    folder: Path, bids: list[float] = BIDS, eyes: list[str] = EYES, neighbours: str = "add-remove", delta: str = ""
) -> Iterator[Curator]:
    folder.mkdir(parents=True, exist_ok=True)
    path = folder / "policy.toml"
    path.write_text(POLICY.format(neighbours=neighbours, delta=delta))
    tables = {
        "bids": pa.table({"buyer": list(range(len(bids))), "bid": pa.array(bids, pa.float64())}),
        "people": pa.table({"person": list(range(len(eyes))), "eye_colour": pa.array(eyes, pa.string())}),
    }
    Curator.init(path)
    with Curator.open(path, tables=tables) as curator:
        yield curator


def test_the_commonest_eye_colour_is_chosen_without_its_count(tmp_path: Path) -> None:
    with market(tmp_path) as curator:
        answer = curator.ask("SELECT MODE(eye_colour) FROM people", 3)
        assert answer.value == "brown", "30 people ahead at a scale of 1/3: e^-90 against it"
        assert answer.cost.epsilon == 3
        again = curator.ask("SELECT mode(eye_colour) AS colour FROM people", 3)
        assert (again.value, again.receipt.paid) == ("brown", "free")
        same = curator.ask("SELECT eye_colour FROM people GROUP BY eye_colour ORDER BY COUNT(*) DESC LIMIT 1", 3)
        assert (same.value, same.receipt.paid) == ("brown", "free")
        prepared = curator.prepare("SELECT MODE(eye_colour) FROM people", 3)
        recorded = curator.ledger.charge(prepared.request, prepared.priced.charge).answer
    assert recorded == b'{"version":4,"sets":[{"chosen":[[1]]}]}', "a place, and no score"


def test_the_best_price_of_apples_is_one_or_four(tmp_path: Path) -> None:
    """Bids of 1.00, 1.00, 1.00 and 4.01: 1.00 brings 4.00 and 4.01 brings 4.01, while 1.01 and 4.02 bring little."""
    with market(tmp_path) as curator:
        prepared = curator.prepare_choice(PRICES, REVENUE, 40, table="bids")
        choice = prepared.priced.choice
        assert choice is not None
        assert prepared.priced.score_step * choice.score.bound_spread(prepared.operation.plan) == Fraction("4.02")
        seen = Counter(curator.choose(PRICES, REVENUE, 40, table="bids", fresh=True).value for _ in range(12))
        assert set(seen) <= {1.00, 4.01}, "2.99 and 4.01 behind at a scale of a tenth"
        first = curator.choose(PRICES, REVENUE, 40, table="bids")
        again = curator.choose([4.02, 1, 4.01, 1.01, 1.0], REVENUE, 40, table="bids")
        assert (first.value, again.receipt.paid) == (again.value, "free")
        assert first.names == ("candidate",)
        assert "is within 0.44 of the best" in first.text(width=200), "4.02 / 40 * ln(4 / 0.05), in whole cents"
        whole = "SELECT $candidate * COUNT(*) FILTER (WHERE bid >= $candidate) FROM bids"
        assert curator.choose(PRICES, whole, 40).value in (1.00, 4.01)


def test_what_the_sensitivity_is_follows_from_the_policy(tmp_path: Path) -> None:
    for neighbours, factor in (("add-remove", 1), ("replace", 2)):
        with market(tmp_path / neighbours, neighbours=neighbours) as curator:
            mode = curator.prepare("SELECT MODE(eye_colour) FROM people", 1).priced.choice
            price = curator.prepare_choice([1, 2], REVENUE, 1, table="bids").priced.choice
            signed = curator.prepare_choice([1, 2], "SUM(bid - 2 * $candidate)", 1, table="bids").priced
        assert mode is not None
        assert price is not None
        assert signed.choice is not None
        assert mode == type(mode)(LargestSum(0), PermuteAndFlip(float(factor)))
        assert isinstance(price.score, WeightedMeasures)
        spread = signed.choice.score.bound_spread(signed.bounded.plan) * signed.score_step
        assert spread == factor * (8 + 4), "between 10 - 2 and 0 - 4"


def test_permute_and_flip_is_for_epsilon_and_the_exponential_mechanism_for_rho(tmp_path: Path) -> None:
    with market(tmp_path, delta="delta = 1e-9") as curator:
        pure = curator.prepare("SELECT MODE(eye_colour) FROM people", 1).priced
        zcdp = curator.prepare("SELECT MODE(eye_colour) FROM people", rho=0.125).priced
        several = curator.prepare(
            "SELECT eye_colour FROM people GROUP BY eye_colour ORDER BY COUNT(*) LIMIT 2", rho=0.125
        ).priced
    assert pure.choice is not None
    assert zcdp.choice is not None
    assert isinstance(pure.choice.pick, PermuteAndFlip)
    assert (pure.charge.epsilon, pure.charge.rho) == (1, Fraction(1, 2)), "its loss is pure, and of no bounded range"
    assert isinstance(zcdp.choice.pick, Exponential)
    assert zcdp.choice.pick.scale == pytest.approx(1.0)
    assert zcdp.charge.rho == Fraction(1, 8)
    assert several.choice is None or isinstance(several.choice.pick, Exponential)


@pytest.mark.parametrize(
    "question",
    [
        "SELECT ARG_MAX(ward, n) FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)",
        "SELECT ward FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) ORDER BY n DESC LIMIT 1",
        "WITH q AS (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward) SELECT max_by(ward, n) FROM q",
        "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC, ward LIMIT 1",
        "SELECT MODE(ward) FROM visits",
        "SELECT MODE() WITHIN GROUP (ORDER BY ward) FROM visits",
    ],
)
def test_one_question_has_many_spellings_and_one_price(tmp_path: Path, question: str) -> None:
    with open_clinic(tmp_path, epsilon=100) as curator:
        first = curator.ask("SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 1", 8)
        answer = curator.ask(question, 8)
        explained = str(curator.explain(question, 8))
    assert (answer.value, answer.receipt.paid) == (first.value, "free")
    assert "choice     one of 3 by number of rows, by permute-and-flip" in explained
    assert "none of them is released" in explained
    assert "measure " not in explained


def test_the_smallest_sum_and_conditions_and_filters(tmp_path: Path) -> None:
    rows: list[Visit] = [(patient, 40, 100.0, "north") for patient in range(300)]
    rows += [(patient, 70, 100.0, "south") for patient in range(300, 500)]
    rows += [(patient, 70, 100.0, "icu") for patient in range(500, 550)]
    asked = {
        "SELECT MODE(ward) FROM visits": "north",
        "SELECT MODE(ward) FROM visits WHERE age > 50": "south",
        "SELECT MODE(ward) FILTER (WHERE age > 50) FROM visits": "south",
        "SELECT ARG_MIN(ward, s) FROM (SELECT ward, SUM(cost) AS s FROM visits GROUP BY ward)": "icu",
        "SELECT UPPER(ward) FROM visits GROUP BY ward ORDER BY SUM(age) DESC LIMIT 1": "SOUTH",
        "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(DISTINCT patient_id) LIMIT 1": "icu",
    }
    with open_clinic(tmp_path, rows, epsilon=1000) as curator:
        for question, best in asked.items():
            assert curator.ask(question, 50).value == best, question


def test_a_mode_in_every_group_is_chosen_in_each(tmp_path: Path) -> None:
    rows: list[Visit] = [(patient, 20, 1.0, "north") for patient in range(200)]
    rows += [(patient, 100, 1.0, "icu") for patient in range(200, 400)]
    question = "SELECT age // 60 AS old, MODE(ward) AS most FROM visits GROUP BY 1 ORDER BY old DESC"
    with open_clinic(tmp_path, rows, epsilon=1000) as curator:
        answer = curator.ask(question, 50, max_rows=1)
        charged = curator.prepare(question, 50).priced
        ordered = curator.ask(
            "SELECT age // 60 AS old, MODE(ward) AS most FROM visits GROUP BY 1 LIMIT 1", 50, max_rows=1
        )
    assert answer.rows == ((1, "icu"), (0, "north"))
    assert (ordered.rows, ordered.receipt.paid) == (((0, "north"),), "free")
    assert charged.choice is not None
    assert charged.choice.parts == 2
    assert charged.choice.pick.scale == pytest.approx(3 / 50), "a unit has three rows, in any of the groups"


def test_several_keys_are_chosen_or_ordered_whichever_falls_less_short(tmp_path: Path) -> None:
    """One row of a unit: three noisy counts are as private as one, and three rounds are not. Many groups: not so."""
    few = "SELECT ward FROM visits GROUP BY ward ORDER BY COUNT(*) DESC LIMIT 2"
    many = "SELECT age FROM visits GROUP BY age ORDER BY COUNT(*) DESC LIMIT 2"
    with open_clinic(tmp_path, epsilon=1000) as curator:
        released = curator.prepare(few, 1, max_rows=1).priced
        limits: dict[str, Any] = {"max_rows": 3, "max_groups": 3, "max_rows_per_group": 1}
        chosen = curator.prepare(many, 1, **limits)
        answer = curator.ask(many, 50, **limits)
        assert released.choice is None
        assert "choice     none" in str(curator.explain(few, 1, max_rows=1))
        assert "2 of 111 by number of rows, by the exponential mechanism" in str(chosen.explain())
    assert chosen.priced.choice is not None
    assert chosen.priced.choice.count == 2
    assert len(set(answer["age"])) == 2
    assert "every n-th chosen is within" in " ".join(str(answer).split())


def test_keys_of_the_data_are_ordered_by_released_counts_and_refused_by_mode(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=1000) as curator:
        ordered = "SELECT CAST(patient_id AS TEXT) AS p FROM visits GROUP BY 1 ORDER BY COUNT(*) DESC LIMIT 1"
        assert curator.prepare(ordered, 1).priced.choice is None
        with pytest.raises(QueryError, match="declare values"):
            curator.ask("SELECT MODE(CAST(patient_id AS TEXT)) FROM visits", 1)


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("SELECT MODE(patient_id) FROM visits", "name one of the units"),
        ("SELECT MODE(ward), COUNT(*) FROM visits", "chosen by itself"),
        ("SELECT MODE(ward), MODE(quantity) FROM visits", "chosen by itself"),
        ("SELECT ward, MODE(ward) FROM visits GROUP BY ward", "chosen by itself"),
        ("SELECT ward, MODE(quantity) FROM visits GROUP BY ROLLUP (ward)", "chosen by itself"),
        ("SELECT quantity, MODE(quantity) FROM visits", "neither grouped by nor aggregated"),
        ("SELECT MODE(DISTINCT ward) FROM visits", "one column"),
        ("SELECT AVG(m) FROM (SELECT patient_id, MODE(ward) AS m FROM visits GROUP BY patient_id)", "subquery"),
        ("SELECT ARG_MAX(ward, cost) FROM visits", "GROUP BY key ORDER BY"),
        ("SELECT ARG_MAX(ward, n, 2) FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)", "LIMIT n"),
        ("SELECT ARG_MAX(n, ward) FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)", "takes a key"),
        ("SELECT ARG_MAX(ward, n), 1 FROM (SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward)", "stands alone"),
    ],
)
def test_what_is_no_selection_is_refused_with_a_remedy(tmp_path: Path, question: str, said: str) -> None:
    with open_clinic(tmp_path) as curator:
        with pytest.raises(QueryError, match=said):
            curator.ask(question, 1)
        assert [entry.kind for entry in curator.ledger.entries()].count("CHARGE") == 0


def test_the_accuracy_is_told_before_and_after_paying(tmp_path: Path) -> None:
    """Scale 3/1 over three wards: 3 ln(3 / 0.05) = 12.28."""
    with open_clinic(tmp_path) as curator:
        sentence = "with probability 95 %, the number of rows of what was chosen is within 12 of the best"
        assert f"accuracy   {sentence}" in str(curator.explain("SELECT MODE(ward) FROM visits", 1))
        answer = curator.ask("SELECT MODE(ward) FROM visits", 1)
        least = curator.prepare("SELECT MODE(ward) AS m FROM visits", within={"m": 12}).priced
        with pytest.raises(QueryError, match=r"epsilon=0.2: with probability 95 %, .* within 61 of the best"):
            curator.ask("SELECT MODE(ward) FROM visits")
    assert sentence in answer.text(width=200)
    assert sentence in answer._repr_html_()
    assert json.loads(answer.to_json())["accuracy"] == {"confidence": 0.95, "score": "number of rows", "within": 12.0}
    assert json.loads(answer.to_json(confidence=0.5))["accuracy"]["within"] == 5.0
    assert b"discreet.accuracy" in answer.to_arrow().schema.metadata
    assert not answer.fields[0].noisy
    assert 0.9 < least.charge.epsilon <= 1


def test_the_least_epsilon_for_a_choice_is_found(tmp_path: Path) -> None:
    with market(tmp_path) as curator:
        priced = curator.prepare_choice([1, 2, 4.01], REVENUE, within=30, table="bids").priced
        fell = find_shortfall(priced, 0.95)
        less = curator.prepare_choice([1, 2, 4.01], REVENUE, float(priced.target) * 0.98, table="bids").priced
        with pytest.raises(QueryError, match="give one of epsilon, rho and within"):
            curator.choose([1, 2], REVENUE, 1, within=30, table="bids")
        with pytest.raises(QueryError, match="confidence: there is no such argument"):
            curator.choose([1, 2], REVENUE, 1, confidence=0.9, table="bids")
    assert fell is not None
    assert fell <= 30
    assert (find_shortfall(less, 0.95) or 0) > 30


def test_ranges_of_any_length_are_chosen_from_by_intervals(tmp_path: Path) -> None:
    """A thousand bids at 4: fewest lie below what is at most 4, and of a million prices 4 brings most."""
    prices = CandidateRange(0, 10, 0.01)
    with market(tmp_path, [4.00] * 1000) as curator:
        below = curator.choose(range(-(10**12), 10**12), "COUNT(*) FILTER (WHERE bid < $candidate)", 20, table="bids")
        assert isinstance(below.value, int)
        assert below.value >= 5, "1,000 against none, at a scale of a twentieth"
        least = curator.choose(
            range(-(10**12), 10**12), "COUNT(*) FILTER (WHERE $candidate <= bid)", 20, table="bids", largest=False
        )
        assert isinstance(least.value, int)
        assert least.value >= 5
        best = curator.choose(prices, REVENUE, 20, table="bids")
        assert best.value == pytest.approx(4, abs=0.05)
        profit = "SELECT ($candidate - 1) * COUNT(*) FILTER (WHERE bid >= $candidate) FROM bids"
        assert curator.choose(prices, profit, 20).value == pytest.approx(4, abs=0.05)
        prepared = curator.prepare_choice(prices, profit, 20).priced
    assert prepared.choice is not None
    assert isinstance(prepared.choice.score, ThresholdScore)
    assert prepared.choice.score.bound_spread(prepared.bounded.plan) * prepared.score_step == 10, "9 up, 1 down"


@pytest.mark.parametrize(
    ("candidates", "score", "how", "said"),
    [
        ([1, 2], "COUNT(*)", {"table": "bids"}, r"no \$candidate"),
        ([1, 2], REVENUE, {}, "name its table"),
        ([1, 2], f"SELECT {REVENUE} FROM bids", {"table": "bids"}, "leave table= out"),
        ([1, 2], "AVG(bid * $candidate)", {"table": "bids"}, "no score"),
        ([1, 2], "SUM(bid) + $candidate", {"table": "bids"}, "no score"),
        ([1, 2], "SELECT COUNT(*) FROM bids WHERE bid > $candidate", {}, "inside the score only"),
        ([1, 2], "SELECT COUNT(*) FILTER (WHERE bid > $candidate) FROM bids GROUP BY bid", {}, "no score"),
        ([1, 2], REVENUE, {"table": "bids", "params": {"p": 1}}, r"no \$p"),
        ([1, 2], REVENUE, {"table": "bids", "params": {"candidate": 1}}, "another name"),
        (list(range(401)), REVENUE, {"table": "bids"}, "give numbers as a range"),
        (range(10**6), "SUM(bid * $candidate)", {"table": "bids"}, "over a long range"),
        (range(10**8), REVENUE, {"table": "bids"}, "larger steps first"),
        (CandidateRange(0, 10, Fraction(1, 1000)), REVENUE, {"table": "bids"}, "steps of 0.01"),
        ([1, 2], REVENUE, {"table": "nowhere"}, "no table"),
    ],
)
def test_what_has_no_proven_spread_is_refused(
    tmp_path: Path, candidates: Any, score: str, how: dict[str, Any], said: str
) -> None:
    with market(tmp_path) as curator:
        with pytest.raises(QueryError, match=said):
            curator.choose(candidates, score, 1, **how)
        assert [entry.kind for entry in curator.ledger.entries()].count("CHARGE") == 0


@pytest.mark.parametrize(
    ("candidates", "count"), [([], 1), ("abc", 1), ([None], 1), ([1, "a"], 1), ([1, 2], 3), (range(10**6), 2), ([1], 0)]
)
def test_candidates_and_counts_that_mean_nothing_are_refused(tmp_path: Path, candidates: Any, count: int) -> None:
    with market(tmp_path) as curator, pytest.raises(ParameterError):
        curator.choose(candidates, REVENUE, 1, table="bids", count=count)


QUESTIONS = [
    "SELECT MODE(ward) FROM visits",
    "SELECT age // 20 AS a, MODE(ward) FROM visits GROUP BY 1",
    "SELECT ward FROM visits GROUP BY ward ORDER BY SUM(cost - 1000) LIMIT 1",
    "SELECT age FROM visits GROUP BY age ORDER BY COUNT(DISTINCT patient_id) DESC LIMIT 3",
]
HEAVY: list[Visit] = [(7777, 50, 100.0 * visit, ("north", "south", "icu")[visit % 3]) for visit in range(30)]
ODD: list[Visit] = [
    (8888, None, None, None),
    (8888, -(2**63), float("inf"), "nowhere"),
    (8888, 2**63 - 1, float("nan"), "icu"),
    (8888, 0, float("-inf"), "icu"),
]


@pytest.mark.many
@pytest.mark.parametrize("neighbours", ["add-remove", "replace"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_neighbours_see_the_same_but_for_what_is_chosen(tmp_path: Path, question: str, neighbours: str) -> None:
    """Names, notes, cost, entries and the explanation are alike, and scores move apart by their spread at most."""
    both = [[*VISITS, *HEAVY], [*ODD, *VISITS]] if neighbours == "replace" else [VISITS, [*VISITS, *HEAVY]]
    seen, scores = [], []
    for number, rows in enumerate(both):
        with open_clinic(tmp_path / str(number), rows, neighbours=neighbours) as curator:
            with replayed(GeneratorBits(5)):
                answer = curator.ask(question, 0.5)
            prepared = curator.prepare(question, 0.5)
            plan, choice = prepared.operation.plan, prepared.priced.choice
            kinds = [entry.kind for entry in curator.ledger.entries()]
            told = (answer.fields, answer.guarantee, answer.notes, answer.cost, len(answer), kinds)
            seen.append((*told, str(curator.explain(question, 0.5))))
            if choice is not None:
                scores.append(choice.score.rate(curator._engines.run(plan).result().sets[0]))
    assert seen[0] == seen[1]
    if choice is not None:
        size = choice.count_each(plan)
        moved = [a - b for a, b in zip(*scores, strict=True)]
        parts = [moved[start : start + size] for start in range(0, len(moved), size)]
        spreads = [max(part) - min(part) for part in parts]
        assert 0 < max(spreads) <= choice.score.bound_spread(plan)


def test_candidates_move_apart_by_their_spread_at_most(tmp_path: Path) -> None:
    scores: list[list[int]] = []
    for number, bids in enumerate(([1.0, 2.0], [1.0, 2.0, 9.99])):
        with market(tmp_path / str(number), bids) as curator:
            for prepared in (
                curator.prepare_choice(PRICES, REVENUE, 1, table="bids"),
                curator.prepare_choice(CandidateRange(0, 10, 0.01), REVENUE, 1, table="bids"),
            ):
                choice = prepared.priced.choice
                assert choice is not None
                scores.append(choice.score.rate(curator._engines.run(prepared.operation.plan).result().sets[0]))
                spread = choice.score.bound_spread(prepared.operation.plan)
                if number == 1:
                    moved = [b - a for a, b in zip(scores[-3], scores[-1], strict=True)]
                    assert 0.7 * spread < max(moved) - min(moved) <= spread
