"""Questions of all kinds are replayed under both relations of neighbours."""

from __future__ import annotations

from discreet.audit.house.replays import RELATIONS, replay_questions


def test_a_question_by_key_is_replayed_and_nothing_is_found() -> None:
    found = list(replay_questions("ward, COUNT(*), SUM(cost)"))
    assert [each.neighbours for each in found] == list(RELATIONS)
    assert all(each.report.ok and len(each.report.neighbours) > 5 for each in found)
    assert "ward" in found[0].name
