"""Sessions: plan and prepare for free, ask, routes before the direct way, engines only when they are needed."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.answers import Answer, Receipt
from discreet.base.errors import BudgetError, LedgerError, PolicyError, QueryError
from discreet.base.types import Type
from discreet.curator import Curator
from discreet.curator.asking.outlook import Outlook, describe_share
from discreet.curator.asking.prepared import Prepared
from discreet.curator.asking.routes import Recorded as RouteRecords
from discreet.curator.asking.routes import Routed
from discreet.curator.estimates.assemble import assemble
from discreet.curator.release.released import Released
from discreet.engines.duck.engine import DuckEngine
from discreet.plan.question import AggregateKind
from support.clinic import make_tables, make_visits, open_clinic

BY_WARD = "SELECT ward, COUNT(*) AS n, AVG(cost) AS mean FROM visits GROUP BY ward"


def kinds(curator: Curator) -> list[str]:
    return [entry.kind for entry in curator.ledger.entries()]


def test_fields_are_known_before_anything_runs_and_are_those_of_the_answer(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with open_clinic(tmp_path) as curator:
        with monkeypatch.context() as patch:
            patch.setattr(DuckEngine, "run", lambda *_: pytest.fail("data was read"))
            prepared = curator.session().prepare(f"{BY_WARD} HAVING COUNT(*) > 5 ORDER BY n", 0.5)
            assert [(each.name, each.type, each.noisy) for each in prepared.fields] == [
                ("ward", Type.TEXT, False),
                ("n", Type.INTEGER, True),
                ("mean", Type.FLOAT, True),
            ]
            assert "sensitivity" in str(prepared.explain())
            assert kinds(curator) == ["CREATE"]
        assert prepared.ask().fields == prepared.fields
        assert prepared.ask().receipt.paid == "free"


def test_planning_is_free_and_reads_nothing(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        planned = curator.session().plan("SELECT ward, SUM(cost) FROM visits WHERE age > $a GROUP BY ward", {"a": 5})
        assert [each.kind for each in planned.aggregates] == [AggregateKind.SUM]
        with pytest.raises(QueryError, match=r"the question has no \$b"):
            curator.session().plan("SELECT COUNT(*) FROM visits", {"b": 5})
        assert kinds(curator) == ["CREATE"]


def test_where_a_policy_has_analysts_a_session_names_one(tmp_path: Path) -> None:
    with open_clinic(tmp_path, analyst="alice", analysts=True) as curator:
        with pytest.raises(PolicyError):
            curator.session("eve")
        assert [curator.session(name).analyst for name in ("bob", None)] == ["bob", "alice"]
    path, tables = tmp_path / "policy.toml", make_tables()
    with Curator.open(path, None, tables, operator=True) as curator, pytest.raises(PolicyError):
        curator.session()


def test_an_engine_is_opened_when_a_question_first_needs_it(tmp_path: Path) -> None:
    """A policy whose PostgreSQL is down still answers about its files."""
    policy = """
[budget]
epsilon = 3

[engines.pg]
kind = "postgres"
dsn_env = "DISCREET_NO_SUCH_SERVER"

[tables.visits]
unit = "patient_id"
version = "1"
max_rows = 3

[tables.far]
engine = "pg"
table = "far"
unit = "id"
version = "1"
max_rows = 1
"""
    path = tmp_path / "policy.toml"
    path.write_text(policy.replace('[tables.far]\nengine = "pg"\ntable = "far"\n', "[tables.far]\n"))
    Curator.init(path)
    path.write_text(policy)
    with Curator.open(path, None, {"visits": make_visits()}) as curator:
        assert curator.ask("SELECT COUNT(*) FROM visits", 0.5).rows
        with pytest.raises(PolicyError, match="DISCREET_NO_SUCH_SERVER is not set"):
            curator.ask("SELECT COUNT(*) FROM far", 0.5)
        assert kinds(curator).count("CHARGE") == 1


def test_a_question_nested_too_deeply_is_refused_in_words(tmp_path: Path) -> None:
    """Additions in three subqueries, one inside the other, raised a raw RecursionError; what is deeper is refused."""
    with open_clinic(tmp_path) as curator:
        text = "SELECT CAST(age AS DOUBLE) AS x FROM visits"
        for _ in range(3):
            text = f"SELECT x{' + 1' * 60} AS x FROM ({text})"
        assert curator.prepare(f"SELECT COUNT(*) FROM ({text}) WHERE x > 1", 0.5).fields
        for _ in range(20):
            text = f"SELECT x{' + 1' * 150} AS x FROM ({text})"
        with pytest.raises(QueryError, match="nested more than 200 deep"):
            curator.prepare(f"SELECT COUNT(*) FROM ({text}) WHERE x > 1", 0.5)
        assert kinds(curator) == ["CREATE"]


@dataclass
class Recorded:
    """A route that answers a question from what was recorded for one charge."""

    charge: int
    asked: list[str] = field(default_factory=list)

    def answer(self, prepared: Prepared, records: RouteRecords) -> Routed | None:
        self.asked.append(prepared.text)
        measured = records.read_record(self.charge)
        if measured is None or "age > 7" not in prepared.text:
            return None

        def put_together(receipt: Receipt) -> Answer:
            return assemble(prepared.question, prepared.priced, Released.from_bytes(measured), receipt, prepared.text)

        return Routed((self.charge,), put_together)

    def describe(self, prepared: Prepared, records: RouteRecords) -> Outlook | None:
        if "age > 7" not in prepared.text:
            return None
        cost = describe_share(records.ledger, (self.charge,), records.analyst)
        return Outlook("the archive would answer", cost, lambda confidence: 100 * confidence)


def routed_clinic(folder: Path, route: object, analyst: str) -> Curator:
    open_clinic(folder, analyst=analyst, analysts=True).close()
    tables = make_tables()
    return Curator.open(folder / "policy.toml", analyst, tables, routes=[route])  # type: ignore[list-item]


def test_routes_are_tried_before_a_new_run_and_after_the_ledger(tmp_path: Path) -> None:
    route = Recorded(2)
    with routed_clinic(tmp_path, route, "alice") as curator:
        first = curator.ask(BY_WARD, 0.3)
        asked = len(route.asked)
        assert curator.ask(BY_WARD, 0.3).receipt.paid == "free"
        assert len(route.asked) == asked, "the ledger knows it"
        inferred = curator.ask(BY_WARD.replace("GROUP", "WHERE age > 7 GROUP"), 0.3)
        assert inferred.rows == first.rows
        assert inferred.receipt.paid == "free"
        assert kinds(curator).count("CHARGE") == 1
        assert "from the ledger" in str(curator.explain(BY_WARD, 0.3))
        explained = curator.explain(BY_WARD.replace("GROUP", "WHERE age > 7 GROUP"), 0.2)
        assert "way        the archive would answer\ncost       nothing\n" in str(explained)
        assert "+- 95 at 95%" in str(explained)
        assert "Laplace noise" not in str(explained), "that of a direct answer, which this would not be"
        bob = curator.session("bob").explain(BY_WARD, 0.3)
        assert "cost       epsilon 0.3, rho 0.0153892 of bob's own cap; the budget pays nothing" in str(bob)


def test_what_a_route_uses_of_others_is_paid_from_the_askers_own_cap(tmp_path: Path) -> None:
    with routed_clinic(tmp_path, Recorded(2), "alice") as curator:
        curator.ask(BY_WARD, 0.3)
        text = BY_WARD.replace("GROUP", "WHERE age > 7 GROUP")
        bob = curator.session("bob")
        assert bob.ask(text, 0.3).receipt.paid == "own cap only"
        assert bob.budget.analysts[0].filter.spent[0] == Fraction(3, 10)
        assert bob.ask(text, 0.3).receipt.paid == "free"
        assert curator.ledger.verify().ok


def test_a_route_that_names_nothing_or_what_was_never_recorded_is_refused(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        curator.ask(BY_WARD, 0.3)
        for charges, said in (((), "names the recorded answers"), ((3,), "no charge with a recorded answer")):
            with pytest.raises(LedgerError, match=said):
                curator.ledger.use(charges)


def test_a_route_does_not_spend_beyond_a_cap(tmp_path: Path) -> None:
    with routed_clinic(tmp_path, Recorded(2), "alice") as curator:
        curator.ask(BY_WARD, 0.7)
        with pytest.raises(BudgetError, match="own cap of 'bob'"):
            curator.session("bob").ask(BY_WARD.replace("GROUP", "WHERE age > 7 GROUP"), 0.3)


def test_answers_that_are_wider_than_a_column_are_shown(tmp_path: Path) -> None:
    """`GROUP BY age * 2^60` was charged and recorded, and then could not be shown."""
    with open_clinic(tmp_path, epsilon=50.0) as curator:
        wide = 4 * 2**60
        answer = curator.ask(
            f"SELECT age * {wide} AS k, COUNT(*) AS n FROM visits GROUP BY 1 ORDER BY n DESC LIMIT 3", 20
        )
        assert len(answer) == 3
        assert all(int(str(key)) % wide == 0 for key in answer["k"])
        assert max(int(str(key)) for key in answer["k"]) > 2**63
        assert answer.to_arrow().num_rows == 3


def test_sums_that_no_float_holds_are_refused_before_the_charge(tmp_path: Path) -> None:
    """`SUM` of values held between -1e308 and 1e308 was charged and recorded, and then raised."""
    held = "LEAST(GREATEST(cost * 1e306, -1e308), 1e308)"
    with open_clinic(tmp_path, epsilon=60.0) as curator:
        for text in (f"SUM({held})", f"AVG({held})", "VARIANCE(LEAST(GREATEST(cost * 1e100, -1e200), 1e200))"):
            with pytest.raises(QueryError, match="larger than any float"):
                curator.ask(f"SELECT {text} FROM visits", 1)
        for text in ("MEDIAN(cost * 1e300 * 1e10)", "MAX(age * 1e308)", "MIN(age / 1e-320)", "SUM(age * 1e-300)"):
            with pytest.raises(QueryError, match="between 1e-270 and 1e300"):
                curator.ask(f"SELECT {text} FROM visits", 1)
        for text in ("VARIANCE(cost * 1e-160)", "CORR(age * 1e-200, cost)"):
            with pytest.raises(QueryError, match="differ by less than floats do"):
                curator.ask(f"SELECT {text} FROM visits", 1)
        assert kinds(curator) == ["CREATE"]
        answer = curator.ask("SELECT SUM(LEAST(GREATEST(cost * 1e100, -1e200), 1e200)) AS s FROM visits", 50)
        assert abs(float(str(answer["s"][0]))) < 1e210
