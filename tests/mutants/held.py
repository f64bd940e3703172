"""The rules of rows that are held for a run, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

HELD, PARTS, BLOCKS = (f"engines/spark/{name}.py" for name in ("held", "parts", "blocks"))
TESTS = "tests/engines/spark"
SUMS, WINGS = "tests/curator/door/test_sums.py", "tests/curator/door/test_sum_wings.py"

MUTATIONS = [
    broken(
        "held: a unit is split over partitions",
        HELD,
        "            rows = self._session.session.sql(self._statement)\n",
        "            rows = self._session.session.sql(self._statement).repartition(5)\n",
        f"{TESTS}/test_held.py::test_sums_are_those_of_duckdb",
    ),
    broken(
        "held: one number stands for several units",
        "engines/limiting/unit_rows.py",
        "{dialect.bigint(PART)} * {MOST_RANKS} + {rank} AS n",
        "{rank} + 0 * {dialect.bigint(PART)} AS n",
        "tests/engines/test_steps.py",
    ),
    broken(
        "held: rows of an earlier run serve another",
        HELD,
        "GatherBlocks(uuid.uuid4().hex, self._plan)",
        'GatherBlocks("run", self._plan)',
        f"{TESTS}/test_held.py::test_another_run_sees_the_tables_as_they_are_then_and_this_one_as_they_were",
    ),
    broken(
        "held: rows stay on executors after the run",
        HELD,
        "                if frame is not None:\n                    frame.unpersist()\n",
        "                pass\n",
        f"{TESTS}/test_held.py::test_rows_are_kept_until_they_are_closed_and_can_still_be_read",
    ),
    broken(
        "held: features of one encoding serve another on Spark",
        HELD,
        "        if self._encoding != encoding:\n",
        "        if self._encoding is None:\n",
        f"{TESTS}/test_held.py::test_sums_are_those_of_duckdb",
    ),
    broken(
        "held: executors with other code compute",
        HELD,
        "        return wait(partial(start_work, session, ask)) == {hash_code()}\n",
        "        return bool(wait(partial(start_work, session, ask)))\n",
        f"{TESTS}/test_held.py::test_executors_without_this_code_leave_the_sums_to_the_desk",
    ),
    broken(
        "held: what fails on an executor quotes rows",
        PARTS,
        '        raise FailedError(f"an executor failed: {type(trouble).__name__}") from None\n',
        '        raise FailedError(f"an executor failed: {trouble}") from None\n',
        f"{TESTS}/test_parts.py",
    ),
    broken(
        "held: what failed on an executor is told beside it",
        PARTS,
        '{type(trouble).__name__}") from None\n',
        '{type(trouble).__name__}") from trouble\n',
        f"{TESTS}/test_parts.py",
    ),
    broken(
        "held: a partition without rows is no task",
        BLOCKS,
        "    for first, last in list(split_units(exact.offsets, most)) or [(0, 0)]:\n",
        "    for first, last in list(split_units(exact.offsets, most)):\n",
        f"{TESTS}/test_blocks.py",
    ),
    broken(
        "held: a number that does not fit becomes another",
        BLOCKS,
        "    if not np.array_equal(narrow, array):\n",
        "    if False:\n",
        f"{TESTS}/test_blocks.py",
    ),
    broken(
        "held: sums of a partition wrap",
        PARTS,
        "            total = total + np.array(self.function(rows, offsets), dtype=object)\n",
        "            total = total + np.array(self.function(rows, offsets)).astype(np.float64)\n",
        f"{TESTS}/test_parts.py",
    ),
    broken(
        "held: each machine makes its own table of residuals",
        "gradients/residuals.py",
        '        getattr(self, "_table", None)\n        return dict(vars(self))\n',
        '        return {name: value for name, value in vars(self).items() if name != "_table"}\n',
        "tests/gradients/test_residuals.py",
    ),
    broken(
        "held: rows are held after a run",
        "curator/door/performance.py",
        "            with contextlib.closing(desk):\n",
        "            with contextlib.nullcontext():\n",
        WINGS,
    ),
    broken(
        "held: a desk lets go of nothing",
        "curator/door/desk.py",
        "            held.close()\n",
        "            pass\n",
        SUMS,
    ),
    broken(
        "held: under replace rows are counted as if one unit left",
        "curator/door/sums.py",
        "    return plan.factor * plan.rows\n",
        "    return plan.rows\n",
        SUMS,
    ),
    broken(
        "held: rows are counted without a meter",
        "curator/door/desk.py",
        "        cost, loss = cost_vector(sensitivity, noise), noise.loss(sensitivity, dim=1)\n",
        "        cost, loss = cost_vector(1, noise), noise.loss(sensitivity, dim=1)\n",
        SUMS,
    ),
]
