"""What people look at is its `str`, in a console and a notebook alike, and tells no secret of a policy."""

from __future__ import annotations

from pathlib import Path

from support.clinic import open_clinic


def test_values_that_owners_look_at_are_shown_as_their_text(tmp_path: Path) -> None:
    with open_clinic(tmp_path) as curator:
        (state, *_), found = curator.data_states, curator.ledger.verify()
        for each in (curator, curator.policy, state, found):
            assert repr(each) == str(each)
            assert str(each).split("\n")[0].split("'")[0] in each._repr_html_().replace("&#x27;", "'")
        assert str(curator).endswith("policy.toml: visits, patients, wards, prices")
        assert "visits: unit patient_id, max_rows 3" in str(curator.policy)
        assert "wards: public" in str(curator.policy)
        assert str(state) == "visits: version '1'"
        assert str(found).startswith("1 entries, all as the chain says")
