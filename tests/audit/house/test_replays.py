"""Questions of all kinds are replayed under both relations of neighbours."""

from __future__ import annotations

import pytest

from discreet.audit.house.replays import LOCAL, METRICS, OPERATIONS, RELATIONS, replay_all


def test_a_question_by_key_is_replayed_and_nothing_is_found() -> None:
    found = list(replay_all("ward, COUNT(*), SUM(cost)"))
    assert [each.neighbours for each in found] == [each for each in RELATIONS if each != LOCAL]
    assert all(each.report.ok and len(each.report.neighbours) > 5 for each in found)
    assert "ward" in found[0].name


@pytest.mark.slow
@pytest.mark.parametrize("name", OPERATIONS)
def test_operations_beside_sql_are_replayed_and_nothing_is_found(name: str) -> None:
    (found,) = replay_all(name, ("add-remove",))
    assert found.report.raise_if_any().calls >= 1
    assert any(each.observed > 0 for each in found.report.moved)


def test_the_light_form_tries_a_few_neighbours() -> None:
    (found,) = replay_all("SELECT COUNT(*) FROM visits", ("add-remove",), light=True)
    assert found.report.ok
    assert 3 <= len(found.report.neighbours) <= 6
    assert any("many rows" in each for each in found.report.neighbours)


def test_reports_of_people_are_replayed_and_nothing_is_found() -> None:
    found = list(replay_all("", (LOCAL,)))
    assert len(found) == len(METRICS)
    assert all(each.report.ok and each.report.calls == 1 for each in found)


@pytest.mark.slow
def test_several_operations_on_the_same_databases_do_not_meet() -> None:
    found = list(replay_all("SELECT COUNT(", ("add-remove",)))
    assert len(found) >= 3
    assert all(each.report.ok and each.report.moved for each in found)
