"""One worker process: takes tasks from a pipe, does them, and sends back what came out.

Started as a program of its own, so that nothing of the process that asked (threads, engines, the ledger) is in it, and
so that a script needs no guard against being run again. It ends with the process that asked.
"""

from __future__ import annotations

import pickle
import signal
import sys
import traceback
from multiprocessing.connection import Connection
from typing import Any


def work(pipe: Connection) -> None:
    """Do what comes: a basis and a job are kept for all tasks after them; a task is a function of the job."""
    basis: Any = None
    job: Any = None
    make: Any = None
    while True:
        try:
            kind, content = pickle.loads(pipe.recv_bytes())
        except EOFError:
            return
        if kind == "basis":
            basis, job = content, None
            continue
        if kind == "job":
            job, make = None, content
            continue
        number, function, arguments = content
        try:
            job = make[0](basis, *make[1]) if job is None else job
            reply = (number, True, function(job, *arguments))
        except BaseException as error:
            reply = (number, False, (f"{type(error).__name__}: {error}", traceback.format_exc()))
        try:
            pipe.send_bytes(pickle.dumps(reply, protocol=5))
        except OSError:
            return


if __name__ == "__main__":
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    work(Connection(int(sys.argv[1])))
