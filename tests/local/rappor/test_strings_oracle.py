"""The collector's side of RAPPOR with fragments: whole texts are counted, and reports are kept if they are sound."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from discreet.base.errors import ParameterError
from discreet.local.client import Metric, Rappor, RapporStrings, Texts
from discreet.local.counting import ReportCounter
from discreet.local.faults import Fault
from discreet.local.kept_reports import read_reports
from discreet.local.oracles.find import find_oracle
from discreet.local.oracles.oracle import Batch
from discreet.local.rappor.candidates import hash_candidates
from discreet.local.rappor.decoding import decode
from discreet.local.rappor.strings_oracle import RapporStringsOracle

MECHANISM = RapporStrings.take(Rappor.take(12, 2, 8, 0.1, 0.9, 0.125), 2, 3)
METRIC = Metric("text", Texts(), MECHANISM, lifetime=1000)
WIDTH = MECHANISM.part.payload_size


def collect(count: int = 4000) -> Batch:
    return find_oracle(MECHANISM).encode([b"apple", b"kiwi"] * (count // 2))


def spoil(batch: Batch, part: int) -> Batch:
    """Return reports with a bit beyond the last of one part."""
    payloads = batch.payloads.copy()
    payloads[:, part * WIDTH + WIDTH - 1] |= 0x80
    return Batch(batch.seeds, payloads)


def test_whole_texts_are_decoded_from_counts_alone() -> None:
    oracle = find_oracle(MECHANISM)
    assert isinstance(oracle, RapporStringsOracle)
    counts, good = oracle.count(collect())
    assert good.all()
    found = decode(hash_candidates(MECHANISM.part, ["apple", "kiwi", "fig"]), counts)
    assert (np.abs(found.raw - [0.5, 0.5, 0.0]) < 5.5 * found.errors).all()


@pytest.mark.parametrize("part", [0, 1, 2])
def test_a_report_with_an_unsound_part_counts_with_none(part: int) -> None:
    oracle, batch = find_oracle(MECHANISM), collect(50)
    counts, good = oracle.count(spoil(batch, part))
    assert not good.any()
    assert not counts.any()


def test_seeds_that_there_are_not_count_as_nothing() -> None:
    oracle, batch = find_oracle(MECHANISM), collect(50)
    for seeds in (batch.seeds + MECHANISM.seeds, batch.seeds - MECHANISM.seeds):
        assert not oracle.count(Batch(seeds, batch.payloads)).good.any()
    with pytest.raises(ParameterError, match="payloads of 6 bytes"):
        oracle.count(Batch(batch.seeds, batch.payloads[:, :5]))


def test_sound_reports_alone_are_kept_in_their_order(tmp_path: Path) -> None:
    good, bad = collect(20), spoil(collect(4), 2)
    both = Batch(np.concatenate([good.seeds, bad.seeds]), np.vstack([good.payloads, bad.payloads]))
    (tmp_path / "a.frames").write_bytes(ReportCounter(METRIC).write_frames(both))
    kept, intake = read_reports(METRIC, [tmp_path / "a.frames"])
    assert (kept.seeds == good.seeds).all()
    assert (kept.payloads == good.payloads).all()
    assert (intake.tally.reports, intake.faults) == (20, {Fault.PAYLOAD: 4})
