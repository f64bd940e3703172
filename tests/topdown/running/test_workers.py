"""Worker processes: results in the order of the tasks, errors told, deaths noticed."""

from __future__ import annotations

import os
import signal
import subprocess
import sys

import pytest

from discreet.base.errors import FailedError, ParameterError
from discreet.topdown.running.workers import MODULE, SolverPool
from topdown.running import tasks


def test_results_come_in_the_order_of_the_tasks_from_any_number_of_workers() -> None:
    for workers in (1, 3):
        with SolverPool(workers) as pool:
            pool.give_basis(10)
            pool.give_job(tasks.make_job, (5,))
            assert list(pool.map([(tasks.add, (number,)) for number in range(7)])) == [15 + each for each in range(7)]
            assert list(pool.map([])) == []


def test_a_job_is_made_once_on_the_last_basis() -> None:
    with SolverPool(1) as pool:
        pool.give_basis(1)
        pool.give_job(tasks.make_job, (1,))
        assert list(pool.map([(tasks.count_calls, ()), (tasks.count_calls, ())])) == [1, 1]
        pool.give_basis(2)
        pool.give_job(tasks.make_job, (1,))
        assert list(pool.map([(tasks.add, (0,)), (tasks.count_calls, ())])) == [3, 2]


def test_an_error_in_a_task_is_raised_here_with_what_happened_there() -> None:
    with SolverPool(2) as pool:
        pool.give_job(tasks.make_job, (1,))
        with pytest.raises(FailedError, match="ParameterError: number must be odd") as found:
            list(pool.map([(tasks.refuse, ()), (tasks.add, (1,))]))
    assert "in a worker process" in found.value.__notes__[0]


def test_a_worker_that_dies_ends_the_run_with_a_message() -> None:
    with SolverPool(1) as pool:
        pool.give_job(tasks.make_job, (1,))
        with pytest.raises(FailedError, match="worker process has ended"):
            list(pool.map([(tasks.die, ())]))


def test_workers_have_one_thread_for_linear_algebra_and_leave_ctrl_c_to_others() -> None:
    with SolverPool(1) as pool:
        pool.give_job(tasks.make_job, (1,))
        process, threads = next(pool.map([(tasks.tell_process, ())]))
        assert process != os.getpid()
        assert threads == "1"
        os.kill(process, signal.SIGINT)
        assert next(pool.map([(tasks.add, (1,))])) == 1


def test_a_worker_ends_when_nobody_is_at_the_other_end() -> None:
    script = f"""
import subprocess, sys
from multiprocessing import Pipe
ours, theirs = Pipe()
process = subprocess.Popen([sys.executable, "-m", "{MODULE}", str(theirs.fileno())], pass_fds=(theirs.fileno(),))
theirs.close()
ours.close()
sys.exit(process.wait(60))
"""
    assert subprocess.run([sys.executable, "-c", script], timeout=90).returncode == 0


def test_no_workers_are_refused() -> None:
    with pytest.raises(ParameterError, match="workers"):
        SolverPool(0)
