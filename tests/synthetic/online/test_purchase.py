"""Buying a histogram: who pays, that it is one whatever happens at once, and that no crash gives a second draw."""

from __future__ import annotations

import os
import shutil
import signal
import subprocess
import sys
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.curator import Curator
from discreet.ledger.steps import watch_steps
from support.online import ANALYSTS, FIRST, OTHER, list_histograms, open_small, read_way, spend

STEPS = (
    "charging",
    "charged",
    "journaled",
    *(pytest.param(step, marks=pytest.mark.long) for step in ("before journal", "journaling", "before record")),
    *(pytest.param(step, marks=pytest.mark.long) for step in ("recording", "recorded")),
)
KILLED = """
import os, signal, sys
from pathlib import Path
from discreet.ledger.steps import watch_steps
from support.online import OTHER, open_small

def die(step):
    if step == sys.argv[2]:
        os.kill(os.getpid(), signal.SIGKILL)

with open_small(Path(sys.argv[1])) as curator, watch_steps(die):
    curator.ask(OTHER, 0.12)
"""


def test_a_purchase_is_charged_to_the_asker_and_others_pay_for_it_once(tmp_path: Path) -> None:
    with open_small(tmp_path, named=ANALYSTS.format(bob=50.0), analyst="alice") as curator:
        spend(curator)
        alice, bob = curator.session("alice"), curator.session("bob")
        before, total = alice.budget.analysts[0].filter.spent[0], curator.ledger.spent().spent[0]
        bought = bob.ask(OTHER, 0.12)
        assert read_way(bought) == "histogram"
        assert bought.receipt.paid == "charged"
        assert [_find_payer(curator, entry) for entry in list_histograms(curator)] == ["bob"]
        assert bob.budget.analysts[0].filter.spent[0] == bought.cost.epsilon
        assert curator.ledger.spent().spent[0] == total + bought.cost.epsilon
        assert alice.budget.analysts[0].filter.spent[0] == before
        for epsilon, paid in ((0.11, "own cap only"), (0.115, "free")):
            used = alice.ask(OTHER, epsilon)
            assert read_way(used) == "histogram"
            assert used.receipt.paid == paid
            assert alice.budget.analysts[0].filter.spent[0] == before + bought.cost.epsilon
        assert curator.ledger.spent().spent[0] == total + bought.cost.epsilon, "the total paid once"


def test_a_histogram_that_does_not_fit_into_the_askers_cap_is_not_used(tmp_path: Path) -> None:
    with open_small(tmp_path, named=ANALYSTS.format(bob=0.15), analyst="alice") as curator:
        spend(curator)
        assert read_way(curator.ask(OTHER, 0.12)) == "histogram"
        assert read_way(curator.session("bob").ask(OTHER, 0.1)) == "direct"


@pytest.mark.parametrize("other", [0.12, 0.13])
def test_two_processes_that_buy_at_once_buy_one_histogram(tmp_path: Path, other: float) -> None:
    """The second decides to buy before it can know of the first; at another epsilon it would be at another price."""
    with open_small(tmp_path) as first:
        spend(first)
        with open_small(tmp_path) as second:
            begun: list[str] = []

            def buy_meanwhile(step: str) -> None:
                if step == "before charge" and not begun:
                    begun.append(step)
                    assert read_way(second.ask(OTHER, other)) == "histogram"

            with watch_steps(buy_meanwhile):
                answer = first.ask(OTHER, 0.12)
            assert len(list_histograms(first)) == 1
            assert read_way(answer) == "histogram", "the one that was bought"
            assert answer.receipt.paid == "free"
            assert first.ledger.verify().ok


@pytest.fixture(scope="module")
def spent(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return the folder of a register where a histogram is worth it."""
    folder = tmp_path_factory.mktemp("spent")
    with open_small(folder) as curator:
        spend(curator)
    return folder


@pytest.mark.many
@pytest.mark.parametrize("step", STEPS)
def test_a_process_that_is_killed_while_it_buys_leads_to_no_second_draw(tmp_path: Path, step: str, spent: Path) -> None:
    shutil.copytree(spent, tmp_path, dirs_exist_ok=True)
    places = [str(Path(__file__).parents[2]), *filter(None, [os.environ.get("PYTHONPATH")])]
    told = subprocess.run(
        [sys.executable, "-c", KILLED, str(tmp_path), step],
        env=os.environ | {"PYTHONPATH": os.pathsep.join(places)},
        capture_output=True,
        timeout=120,
        check=False,
    )
    assert told.returncode == -signal.SIGKILL, told.stderr
    with open_small(tmp_path) as curator:
        begun = list_histograms(curator)
        answer = curator.ask(OTHER, 0.121)
        assert read_way(answer) == "histogram"
        bought = list_histograms(curator)
        assert len(bought) == 1, "what was charged is run again, and nothing else is bought"
        assert begun in ([], bought)
        assert (begun == []) == (step == "charging")
        drawn = [entry for entry in curator.ledger.entries() if entry.kind == "MEASURE"]
        assert len([entry for entry in drawn if entry.body["charge"] == bought[0]]) == 1
        assert curator.ledger.verify().ok


def test_a_question_that_is_refused_writes_nothing(tmp_path: Path) -> None:
    with open_small(tmp_path, named=ANALYSTS.format(bob=0.3), analyst="alice") as curator:
        head = curator.ledger.head
        with pytest.raises(Exception, match="own cap of 'bob'"):
            curator.session("bob").ask(FIRST, 0.4)
        assert curator.ledger.head == head


def test_who_asks_for_all_cells_themselves_does_not_keep_a_histogram_from_being_bought(tmp_path: Path) -> None:
    with open_small(tmp_path / "first") as curator:
        spend(curator)
        price = curator.ask(OTHER, 0.12).cost.epsilon
    with open_small(tmp_path / "again") as curator:
        spend(curator)
        curator.ask(_find_text(curator), price)
        answer = curator.ask(OTHER, 0.12)
        assert read_way(answer) == "histogram"
        assert answer.receipt.paid == "charged"
        assert price < answer.cost.epsilon < price * Fraction(1002, 1000)


def test_what_would_answer_is_explained_and_nothing_is_bought_for_it(tmp_path: Path) -> None:
    with open_small(tmp_path) as curator:
        curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex = 'm'", 0.5)
        curator.ask("SELECT COUNT(*) AS n FROM cases WHERE sex IN ('f', 'm')", 0.5)
        assert "would infer it" in str(curator.explain("SELECT COUNT(*) AS n FROM cases WHERE sex = 'f'", 0.1))
        assert "asking would" not in str(curator.explain(OTHER, 0.12))
    with open_small(tmp_path / "bought") as curator:
        spend(curator)
        head = curator.ledger.head
        assert "2 rows of a unit at most before WHERE" in str(curator.explain(OTHER, 0.12))
        before = str(curator.explain(OTHER, 0.12))
        assert "would buy a noisy histogram" in before
        assert curator.ledger.head == head
        bought = curator.ask(OTHER, 0.12)
        assert f"cost       {bought.guarantee}" in before
        ((low, high),) = bought.bounds_at(0.95)[0]  # type: ignore[misc]
        half = float(high - low) / 2  # type: ignore[operator]
        assert f"+- {half:.3g} at 95%" in before
        (entry,) = list_histograms(curator)
        after = str(curator.explain(OTHER, 0.11))
        assert f"the noisy histogram of entry {entry}, which was bought before\ncost       nothing" in after
        assert f"+- {half:.3g} at 95%" in after, "the error is that of the histogram"


def _find_text(curator: Curator) -> str:
    route = curator._holdings.routes[0]
    return str(route._frames["cases"].text)  # type: ignore[attr-defined]


def _find_payer(curator: Curator, number: int) -> object:
    return next(entry.body["analyst"] for entry in curator.ledger.entries() if entry.number == number)
