"""Models as files: what comes back is what went in, and anything else is refused in plain words."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from discreet.answers import Receipt
from discreet.answers.receipt import CHARGED, Mark
from discreet.base.errors import DiscreetError
from discreet.privacy.charges import Charge
from discreet.synthetic.model import SyntheticModel, load_model
from synthetic.support.models import make_model

MODEL = make_model()
RECEIPT = Receipt(Mark(7, "ab" * 32), "ann", Charge(Fraction(1, 3), Fraction(1, 18), Fraction(0)), CHARGED)


@pytest.mark.parametrize("receipt", [None, RECEIPT])
def test_a_loaded_model_is_the_saved_one(tmp_path: Path, receipt: Receipt | None) -> None:
    SyntheticModel(MODEL.transcript, receipt).save(tmp_path / "visits.model")
    loaded = load_model(tmp_path / "visits.model")
    assert loaded.receipt == receipt
    assert loaded.transcript.to_bytes() == MODEL.transcript.to_bytes()
    assert loaded.transcript.batches == MODEL.transcript.batches == (1, 5, 3)
    assert loaded.sample(300, seed=5).equals(MODEL.sample(300, seed=5))
    assert loaded.estimate({"sex": "f"}) == MODEL.estimate({"sex": "f"})


def test_saving_again_replaces_the_file(tmp_path: Path) -> None:
    path = tmp_path / "visits.model"
    path.write_text("something else")
    MODEL.save(path)
    MODEL.save(str(path))
    assert load_model(str(path)).rows == MODEL.rows
    assert list(tmp_path.iterdir()) == [path]


def test_what_is_no_model_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "visits.model"
    with pytest.raises(DiscreetError, match=r"cannot be read \(No such file"):
        load_model(path)
    for data in (b"", b"a,b\n1,2\n", b"\x00" * 100, b"PAR1"):
        path.write_bytes(data)
        with pytest.raises(DiscreetError, match="is no synthetic model"):
            load_model(path)


def test_a_newer_version_is_named(tmp_path: Path) -> None:
    path = tmp_path / "visits.model"
    path.write_bytes(b"discreet synthetic model 9\n{}\n")
    with pytest.raises(DiscreetError, match="model of version 9; this release reads version 1"):
        load_model(path)


def test_every_damage_is_noticed(tmp_path: Path) -> None:
    path = tmp_path / "visits.model"
    MODEL.save(path)
    whole = path.read_bytes()
    start = whole.index(b"\n") + 1
    for cut in (start, start + 20, len(whole) // 2, len(whole) - 1):
        path.write_bytes(whole[:cut])
        with pytest.raises(DiscreetError, match="is damaged"):
            load_model(path)
    for place in range(start, len(whole), 97):
        path.write_bytes(whole[:place] + bytes([whole[place] ^ 1]) + whole[place + 1 :])
        with pytest.raises(DiscreetError, match="is damaged"):
            load_model(path)
