"""Runs a server until standard input is closed, and then ends it; or removes a folder once standard input is closed.

Tests start their servers through this program (see `servers/guarded.py`). The other end of the pipe is closed at the
latest by the kernel, when the process that holds it dies: so nothing is left of a test run, however it ended.

    python guard.py run STOP USER command...      STOP is the number of the signal that asks the command to end
    python guard.py remove FOLDER
"""

from __future__ import annotations

import contextlib
import os
import pwd
import shutil
import signal
import subprocess
import sys
import threading
import time
from typing import Any

PATIENCE = 10.0
"""Seconds that a server has to end when it is asked to, and seconds of trying to remove a folder."""


def run_server(stop: int, user: str, command: list[str]) -> int:
    """Run a command in a process group of its own until it ends, or is made to because standard input is closed."""
    who: dict[str, Any] = {}
    if user:
        who = {"user": user, "group": pwd.getpwnam(user).pw_gid, "extra_groups": []}
    server = subprocess.Popen(command, stdin=subprocess.DEVNULL, process_group=0, **who)
    threading.Thread(target=_end_without_owner, args=(server, stop), daemon=True).start()
    code = server.wait()
    with contextlib.suppress(ProcessLookupError):
        os.killpg(server.pid, signal.SIGKILL)  # what it began and left behind
    return code if code >= 0 else 128 - code


def _end_without_owner(server: subprocess.Popen[bytes], stop: int) -> None:
    _await_close()
    server.send_signal(stop)
    with contextlib.suppress(subprocess.TimeoutExpired):
        server.wait(PATIENCE)
        return
    server.kill()


def remove_folder(folder: str) -> int:
    """Remove a folder once standard input is closed. Servers that are about to end may still write into it."""
    _await_close()
    end = time.monotonic() + PATIENCE
    while os.path.exists(folder) and time.monotonic() < end:
        shutil.rmtree(folder, ignore_errors=True)
        time.sleep(0.02)
    return 0


def _await_close() -> None:
    while os.read(0, 1024):
        pass


def main(task: str, *arguments: str) -> int:
    """Do one of both; a signal that a terminal sends to all its processes does not end it."""
    for each in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(each, lambda *_: None)  # unlike SIG_IGN, the server does not inherit it
    if task == "remove":
        return remove_folder(*arguments)
    stop, user, *command = arguments
    return run_server(int(stop), user, command)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
