"""Several answers in one statement: all are released and paid for, in one charge and one record."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from discreet.base.errors import BudgetError, QueryError
from discreet.curator.asking.prepared import Prepared
from discreet.curator.asking.routes import Recorded
from discreet.curator.release.released import Released, ReleasedSet
from support.clinic import open_clinic

TOTAL = "(SELECT COUNT(*) FROM visits)"
SHARES = f"SELECT ward, COUNT(*) AS n, COUNT(*) * 1.0 / {TOTAL} AS share FROM visits GROUP BY ward"
WARDS = "SELECT ward, COUNT(*) AS n FROM visits GROUP BY ward"


def test_all_are_paid_for_at_once_and_asking_again_is_free(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=10) as curator:
        first = curator.ask(SHARES, 1.0)
        assert first.cost.epsilon == 1
        again = curator.ask(SHARES, 1.0)
        assert (again.rows, again.receipt.entry) == (first.rows, first.receipt.entry)
        assert curator.prepare(SHARES, 1.0).explain().to_dict()["cost"]["epsilon"] == 1


def test_what_is_measured_is_every_release_and_no_more(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=10) as curator:
        prepared = curator.prepare(SHARES, 1.0)
        assert len(prepared.operation.plans()) == 2
        shared = curator.prepare(f"WITH t AS ({WARDS}) SELECT ward, n / (SELECT SUM(n) FROM t) AS s FROM t", 1.0)
        assert len(shared.operation.plans()) == 1
        assert shared.operation == curator.prepare(WARDS, 1.0).operation
        keys = curator.prepare(f"SELECT ward, {TOTAL} AS n FROM visits GROUP BY ward", 1.0)
        assert keys.operation.plans() == (keys.priced.beside[0].bounded.plan,)
        assert [row[0] for row in keys.ask().rows] == ["north", "south", "icu"]


def test_nothing_is_charged_where_both_do_not_fit(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=1) as curator:
        with pytest.raises(BudgetError, match="largest epsilon that fits is"):
            curator.ask(SHARES, 2.0)
        assert curator.ask(SHARES, 1.0).cost.epsilon == 1


def test_prices_by_error_and_offers_speak_of_all(tmp_path: Path) -> None:
    with open_clinic(tmp_path, epsilon=100) as curator:
        alone = curator.prepare(WARDS, within={"n": 30}).priced.target
        both = curator.prepare(SHARES, within={"n": 30}).priced.target
        assert abs(both - 2 * alone) <= Fraction(1, 100) * both
        with pytest.raises(QueryError) as refused:
            curator.prepare(SHARES)
        assert str(refused.value).count("+-") == 6
        told = str(curator.explain(SHARES, 1.0))
        assert "beside     another answer" in told
        assert told.count("50% of the charge") == 2


def test_several_releases_are_written_as_one_record() -> None:
    one, other = Released((ReleasedSet(((3, 4),)),)), Released((ReleasedSet(((7,),)),))
    both = Released(one.sets, (other,))
    assert Released.from_bytes(both.to_bytes()) == both
    assert Released.from_bytes(one.to_bytes()) == one


def test_another_noise_beside_makes_another_question(tmp_path: Path) -> None:
    """The one is released with half of the price, and so is what stands beside it."""
    with open_clinic(tmp_path, epsilon=10) as curator:
        text = "SELECT COUNT(*) / (SELECT {} FROM visits) AS x FROM visits WHERE age > 40"
        first, second = (curator.prepare(text.format(each), 1.0) for each in ("COUNT(*)", "COUNT(DISTINCT patient_id)"))
        assert first.request.identity != second.request.identity
        assert first.operation.parameters() != first.operation.draws.describe()


def test_no_route_answers_a_statement_of_several(tmp_path: Path) -> None:
    class Refusing:
        def answer(self, prepared: Prepared, records: Recorded) -> None:
            raise AssertionError

        def describe(self, prepared: Prepared, records: Recorded) -> None:
            raise AssertionError

    with open_clinic(tmp_path, epsilon=10) as curator:
        session = curator.session(None)
        session._holdings = replace(session._holdings, routes=(Refusing(),))
        assert len(session.ask(SHARES, 1.0).rows) == 3
        with pytest.raises(AssertionError):
            session.ask(WARDS, 1.0)


def test_one_persons_rows_take_no_longer_in_all_answers_than_in_one(tmp_path: Path) -> None:
    """The longest pattern that one answer may look for is not looked for by eight of them."""
    inner = "(SELECT COUNT(*) FROM visits WHERE LENGTH(REGEXP_REPLACE(LPAD(ward, 1000, 'x'), '{}', '')) > {}) AS n{}"
    with open_clinic(tmp_path, epsilon=10) as curator:

        def prepare(letters: int, answers: int) -> Prepared:
            listed = (inner.format(f"a[^b]{{{letters}}}", place, place) for place in range(answers))
            return curator.prepare(f"SELECT {', '.join(listed)}, COUNT(*) AS n FROM visits", 1.0)

        letters = 1
        while letters < 100:
            try:
                prepare(letters, 1)
            except QueryError:
                break
            letters += 1
        with pytest.raises(QueryError, match="in all 9 parts of this answer together"):
            prepare(letters - 1, 8)
