"""What executors compute, without Spark: the same sums however units are divided, and no word of what a row holds."""

from __future__ import annotations

import json
import pickle
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from discreet.base.errors import FailedError
from discreet.engines.held import MemoryRows
from discreet.engines.spark.parts import EncodeBlocks, GatherBlocks, SumBlocks, hash_code, sum_nothing, tell_code
from support.hospital import engine_of, rows_of
from support.teaching import POLICY, compute_all, list_sums, make_tables, select

ENGINE = engine_of(POLICY, make_tables())
PLAN = rows_of(ENGINE, select("numbered"))
ROWS = ENGINE.read(PLAN).result()
NUMBERED = np.column_stack([np.repeat(np.arange(ROWS.units), np.diff(ROWS.offsets)), ROWS.points])
WHOLE = compute_all(MemoryRows(lambda: ROWS), PLAN)


def batches(rows: np.ndarray, most: int = 7) -> Iterator[pa.RecordBatch]:
    """Yield rows as Spark hands them over: some at a time."""
    names = ["n", "m0", "m1", "m2"]
    for first in range(0, len(rows), most):
        yield pa.record_batch([pa.array(each) for each in rows[first : first + most].T], names=names)


def sum_partitions(parts: list[np.ndarray]) -> list[list[int]]:
    """Return the number of rows and all sums, from partitions with these rows, each function sent as Spark would."""
    gathered = [list(GatherBlocks("run", PLAN)(batches(part))) for part in parts]
    found = [[sum(block.column("many")[0].as_py() for part in gathered for block in part)]]
    for encoding, function in list_sums(PLAN):
        encode, add = pickle.loads(pickle.dumps((EncodeBlocks(PLAN, encoding), SumBlocks(encoding, function))))
        lines = [line for part in gathered for line in add(encode(iter(part)))]
        assert len(lines) == len(parts), "one line for each partition, with rows or without"
        sums = [json.loads(line.column("sums")[0].as_py()) for line in lines]
        found.append([sum(entries) for entries in zip(*sums, strict=True)])
    return found


@settings(max_examples=15)
@given(st.integers(1, 60), st.randoms(use_true_random=False))
def test_sums_do_not_depend_on_how_units_are_divided_or_rows_are_ordered(count: int, chance: st.DataObject) -> None:
    order = list(range(len(NUMBERED)))
    chance.shuffle(order)  # type: ignore[attr-defined]
    rows, place = NUMBERED[order], [chance.randrange(count) for _ in range(ROWS.units)]  # type: ignore[attr-defined]
    parts = [rows[[place[unit] == each for unit in rows[:, 0]]] for each in range(count)]
    assert sum_partitions(parts) == WHOLE


def test_a_unit_in_two_partitions_would_be_noticed() -> None:
    found = sum_partitions([NUMBERED[::2], NUMBERED[1::2]])
    assert found[0] == WHOLE[0]
    assert all(one != other for one, other in zip(found[1:], WHOLE[1:], strict=True))


def test_the_absence_of_a_unit_changes_nothing_of_other_partitions() -> None:
    halves = [NUMBERED[NUMBERED[:, 0] % 2 == each] for each in range(2)]
    without = [halves[0], halves[1][halves[1][:, 0] != 1]]
    alone = NUMBERED[NUMBERED[:, 0] == 1]
    whole, less, one = sum_partitions(halves), sum_partitions(without), sum_partitions([alone])
    for every, others, own in zip(whole, less, one, strict=True):
        assert every == [rest + mine for rest, mine in zip(others, own, strict=True)]


def test_sums_of_any_size_are_told_exactly() -> None:
    encoding, _ = list_sums(PLAN)[0]
    huge = 10**40 + 1
    blocks = EncodeBlocks(PLAN, encoding)(GatherBlocks("run", PLAN)(batches(NUMBERED)))
    (line,) = SumBlocks(encoding, lambda rows, offsets: [huge * len(rows), -len(offsets)])(blocks)
    assert json.loads(line.column("sums")[0].as_py()) == [huge * len(NUMBERED), -ROWS.units - 2]


def test_over_no_units_a_sum_is_zeros() -> None:
    for (encoding, function), whole in zip(list_sums(PLAN), WHOLE[1:], strict=True):
        assert sum_nothing(encoding, function).tolist() == [0] * len(whole)


def fail(rows: object, offsets: object) -> list[int]:
    raise ValueError("patient 17 costs 400")


def test_what_fails_tells_its_kind_and_no_row() -> None:
    encoding, _ = list_sums(PLAN)[0]
    gathered = list(GatherBlocks("run", PLAN)(batches(NUMBERED)))
    with pytest.raises(FailedError) as told:
        list(SumBlocks(encoding, fail)(EncodeBlocks(PLAN, encoding)(iter(gathered))))
    assert str(told.value) == "an executor failed: ValueError"
    assert told.value.__suppress_context__
    with pytest.raises(FailedError, match="an executor failed: FailedError"):
        list(GatherBlocks("run", PLAN)(batches(np.repeat(NUMBERED[:1], PLAN.rows + 1, axis=0))))


def test_the_code_is_told_once_for_each_batch_of_nobodys_rows() -> None:
    (told,) = tell_code(iter([pa.record_batch([[1, 2]], names=["id"])]))
    assert told.column("code")[0].as_py() == hash_code()
    assert len(hash_code()) == 64


def test_a_result_without_units_has_no_rows() -> None:
    assert sum_partitions([NUMBERED[:0]]) == [[0] * len(each) for each in WHOLE]
