"""The route end to end, on DuckDB: which way answers, who pays, and what is never combined."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from pathlib import Path

import pyarrow as pa
import pytest

from discreet.curator import Curator
from discreet.synthetic.online.reading import read_counts
from support.online import ANALYSTS, FIRST, OTHER, ROWS, SMALL, make_cases, open_small, read_way, spend

WHOLE = "SELECT COUNT(*) AS n FROM cases"


def charges(curator: Curator) -> list[Fraction]:
    return [Fraction(entry.body["epsilon"]) for entry in curator.ledger.entries() if entry.kind == "CHARGE"]


def test_a_histogram_is_bought_once_ten_times_its_price_was_spent_and_answers_from_then_on(tmp_path: Path) -> None:
    with open_small(tmp_path) as curator:
        assert read_way(curator.ask(OTHER, 0.1)) == "direct", "too little was spent"
        spend(curator)
        bought = curator.ask(OTHER, 0.12)
        assert read_way(bought) == "histogram"
        assert bought.receipt.paid == "charged", "to whoever asked when it was bought"
        price = charges(curator)[-1]
        assert price == bought.cost.epsilon > Fraction(12, 100)
        assert 10 * price <= sum(charges(curator)[:-1])
        count = len(charges(curator))
        for value in ("0", "1", "3"):
            again = curator.ask(OTHER.replace("age = 2", f"age = {value}"), 0.12)
            assert read_way(again) == "histogram"
            assert again.receipt.paid == "free"
        assert len(charges(curator)) == count
        assert curator.ledger.verify().ok


def test_no_cheaper_way_is_wider_than_the_direct_one(tmp_path: Path) -> None:
    with open_small(tmp_path) as curator:
        spend(curator)
        for text, epsilon in ((OTHER, 0.12), (OTHER.replace("2", "3"), 0.05), (WHOLE, 0.02)):
            direct = math.log(1 / 0.05) * 2 / epsilon + 1
            answer = curator.ask(text, epsilon)
            ((low, high),) = answer.bounds_at(0.95)[0]  # type: ignore[misc]
            assert (float(high) - float(low)) / 2 <= direct
        precise = curator.ask(OTHER, 3.0)
        assert read_way(precise) == "direct", "nothing that was released is as precise"


def test_the_same_question_still_comes_from_the_ledger_first(tmp_path: Path) -> None:
    with open_small(tmp_path) as curator:
        first = curator.ask(FIRST, 0.1)
        again = curator.ask(FIRST, 0.1)
        assert again.rows == first.rows
        assert again.receipt.paid == "free"
        assert read_way(again) == "direct"


def test_an_answer_is_inferred_from_earlier_ones_and_says_what_its_interval_means(tmp_path: Path) -> None:
    with open_small(tmp_path) as curator:
        men = curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'm'", 0.5)
        both = curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex IN ('f', 'm')", 0.5)
        women = curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'f'", 0.1)
        assert read_way(women) == "inferred"
        assert women.value == both.value - men.value  # type: ignore[operator]
        assert women.receipt.paid == "free"
        assert "without looking" in women.notes[0]
        assert len(charges(curator)) == 2
        rolled = curator.ask("SELECT sex, COUNT(*) AS n FROM cases GROUP BY sex", 0.1)
        assert read_way(rolled) == "inferred"
        assert rolled["n"] == [women.value, men.value]


def test_what_others_paid_is_charged_to_the_askers_own_cap_once(tmp_path: Path) -> None:
    with open_small(tmp_path, named=ANALYSTS.format(bob=50.0), analyst="alice") as curator:
        curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'm'", 0.5)
        curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex IN ('f', 'm')", 0.5)
        bob = curator.session("bob")
        women = bob.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'f'", 0.1)
        assert read_way(women) == "inferred"
        assert women.receipt.paid == "own cap only"
        assert bob.budget.analysts[0].filter.spent[0] == 1
        assert bob.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'f'", 0.11).receipt.paid == "free"
        assert bob.budget.analysts[0].filter.spent[0] == 1
        assert curator.ledger.spent().spent[0] == 1, "the total pays once"


def test_what_does_not_fit_into_the_askers_cap_is_answered_directly(tmp_path: Path) -> None:
    with open_small(tmp_path, named=ANALYSTS.format(bob=0.3), analyst="alice") as curator:
        curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'm'", 0.5)
        curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex IN ('f', 'm')", 0.5)
        spend(curator)
        bob = curator.session("bob")
        assert read_way(bob.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'f'", 0.1)) == "direct"
        bought = bob.ask(OTHER, 0.12)
        assert read_way(bought) == "direct", "a purchase beyond the asker's cap falls through"
        assert bob.budget.analysts[0].filter.spent[0] == Fraction(22, 100)


def test_histograms_never_cost_more_than_the_policy_lets_them(tmp_path: Path) -> None:
    with open_small(tmp_path, more=SMALL.replace("100.0", "0.2")) as curator:
        spend(curator)
        assert read_way(curator.ask(OTHER, 0.12)) == "direct"
        assert sorted(charges(curator))[-2:] == [Fraction(12, 100), 20]


def test_another_version_of_the_data_is_never_combined_with_this(tmp_path: Path) -> None:
    with open_small(tmp_path) as curator:
        curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'm'", 0.5)
        curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex IN ('f', 'm')", 0.5)
    with open_small(tmp_path, version="2") as curator:
        assert read_way(curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'f'", 0.1)) == "direct"


def test_other_limits_are_never_combined_with_these(tmp_path: Path) -> None:
    men, both = (
        "SELECT COUNT(*) AS n FROM cases WHERE sex = 'm'",
        "SELECT COUNT(*) AS n FROM cases WHERE sex IN ('f', 'm')",
    )
    with open_small(tmp_path) as curator:
        curator.ask(men, 0.5)
        curator.ask(both, 0.5, max_rows=1)
        assert read_way(curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'f'", 0.1)) == "direct"
    with open_small(tmp_path, unit='unit = "person"\nmax_rows = 1') as curator:
        curator.ask(both, 0.5)
        assert read_way(curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'f'", 0.12)) == "direct"


def test_other_declared_values_are_never_combined_with_these(tmp_path: Path) -> None:
    """Cells of another grid hold other rows, though the question reads the same."""
    with open_small(tmp_path) as curator:
        curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'm'", 0.5)
        curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex IN ('f', 'm')", 0.5)
    with open_small(tmp_path, oldest=4) as curator:
        assert read_way(curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'f'", 0.1)) == "direct"


def test_keys_that_are_handed_in_and_were_not_declared_are_counted_directly(tmp_path: Path) -> None:
    """They were told to be 0, with an interval of nothing around it."""
    text = "SELECT sex, COUNT(*) AS n FROM cases GROUP BY sex"
    with open_small(tmp_path) as curator:
        curator.ask(text, 1.0)
        assert read_way(curator.ask(text, 0.1, keys=["f"])) == "inferred"
        found = curator.ask(text, 0.1, keys=["f", "x"])
        assert read_way(found) == "direct"
        assert found["n"][found["sex"].index("x")] != 0


def test_another_process_reads_the_same_book_from_the_ledger(tmp_path: Path) -> None:
    with open_small(tmp_path) as curator:
        spend(curator)
        first = curator.ask(OTHER, 0.12)
    with open_small(tmp_path) as curator:
        again = curator.ask(OTHER, 0.121)
        assert read_way(again) == "histogram"
        assert again.rows == first.rows
        assert again.receipt.paid == "free"


def test_without_it_in_the_policy_nothing_is_routed_and_nothing_is_cut_first(tmp_path: Path) -> None:
    with open_small(tmp_path, more="") as curator:
        assert curator._holdings.routes == ()
        assert curator.prepare(FIRST, 0.1).operation.plan.block.source.rows is None  # type: ignore[union-attr]
        curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'm'", 0.5)
        curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex IN ('f', 'm')", 0.5)
        assert read_way(curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'f'", 0.1)) == "direct"
        assert not [entry for entry in curator.ledger.entries() if entry.kind == "STATE" and "online" in entry.text]


def test_where_rho_binds_a_gaussian_histogram_is_bought_and_rho_is_compared(tmp_path: Path) -> None:
    with open_small(tmp_path, delta=1e-9, epsilon=20.0) as curator:
        curator.ask(FIRST, rho=0.001)
        for _ in range(9):
            curator.ask(FIRST, rho=0.001, fresh=True)
        curator.ask(FIRST, rho=0.3)
        bought = curator.ask(OTHER, rho=0.0011)
        assert read_way(bought) == "histogram"
        paid = [json.loads(entry.text) for entry in curator.ledger.entries() if entry.kind == "CHARGE"]
        assert paid[-1]["epsilon"] == "inf"
        assert 10 * Fraction(paid[-1]["rho"]) <= sum(Fraction(each["rho"]) for each in paid[:-1])


def test_cells_chosen_after_looking_at_the_histogram_are_covered(tmp_path: Path) -> None:
    """An empty table: whatever is counted is 0, and the analyst adds up the cells that came out positive."""
    with open_small(tmp_path, table=make_cases(5).slice(0, 0)) as curator:
        spend(curator)
        assert read_way(curator.ask(OTHER, 0.12)) == "histogram"
        cells = curator.ask("SELECT sex, age, COUNT(*) AS n FROM cases GROUP BY sex, age", 0.12)
        assert read_way(cells) == "histogram"
        chosen = " OR ".join(f"(sex = '{sex}' AND age = {age})" for sex, age, n in cells.rows if n > 0)  # type: ignore[operator]
        asked = curator.ask(f"SELECT COUNT(*) AS n FROM cases WHERE {chosen}", 0.02)
        assert read_way(asked) == "histogram"
        assert asked.value == sum(n for *_, n in cells.rows if n > 0)  # type: ignore[operator, misc]
        ((low, high),) = asked.bounds_at(0.999)[0]  # type: ignore[misc]
        assert low <= 0 <= high


@pytest.mark.parametrize("unit", ["units", "rows"])
def test_cells_of_the_histogram_add_up_to_what_is_answered_directly(tmp_path: Path, unit: str) -> None:
    """Noise is so small here that it is 0: people over the limit, NULL and undeclared values included."""
    table = make_cases(400)
    how: dict[str, object] = {"epsilon": 1e7, "more": SMALL.replace("100.0", "1e7")}
    if unit == "rows":
        how |= {"unit": ROWS, "table": table.drop_columns(["person"])}
    else:
        how |= {"table": table}
    with open_small(tmp_path, **how) as curator:
        route = curator._holdings.routes[0]
        curator.ask(FIRST, 100.0)
        frame = route._frames["cases"]  # type: ignore[attr-defined]
        cells = dict(zip(frame.order_cells(), curator.ask(frame.text, 400.0)["n"], strict=True))
        assert sum(int(str(each)) for each in cells.values()) == _count_kept(table, unit)
        for where in ("sex = 'f'", "age BETWEEN 1 AND 3", "sex IN ('f') AND age IN (0, 2)", "age = 3 OR age = 1"):
            text = f"SELECT COUNT(*) AS n FROM cases WHERE {where}"
            prepared = curator.prepare(text, 300.0)
            counts = read_counts(prepared, frame, curator._holdings.catalog)
            assert counts is not None
            direct = curator.ask(text, 300.0, fresh=True).value
            assert direct == sum(int(str(cells[cell])) for cell in range(15) if counts.labels[cell] == 0), where


def _count_kept(table: pa.Table, unit: str) -> int:
    if unit == "rows":
        return int(table.num_rows)
    counts = table.group_by("person").aggregate([("person", "count")])["person_count"].to_pylist()
    return sum(min(each, 2) for each in counts)
