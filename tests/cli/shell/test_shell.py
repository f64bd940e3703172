"""`discreet shell`: nothing is paid without a price that was set, nor before a semicolon; Ctrl-C leaves the line."""

from __future__ import annotations

import getpass
import json
import os
import pty
import re
import select
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import typer.main

from discreet.base.errors import DiscreetError
from discreet.cli.app import app
from discreet.cli.shell.conversation import ShellTalk
from discreet.cli.shell.opening import TOKEN, open_place, read_token
from discreet.cli.shell.terminal import Shell, edited_lines, find_history
from discreet.curator import Curator
from support.cli import COUNT, Ran, refused, run, write_clinic
from support.serving import Served, make_served_clinic, serving


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(write_clinic(tmp_path))
    monkeypatch.setenv("DISCREET_HISTORY", "")
    return tmp_path


def charges(folder: Path) -> int:
    with sqlite3.connect(folder / ".discreet" / "ledger.db") as db:
        (count,) = db.execute("SELECT count(*) FROM entries WHERE kind = 'CHARGE'").fetchone()
    return int(count)


def piped(*lines: str) -> str:
    return run("shell", input="\n".join(lines) + "\n")


def test_a_question_of_several_lines_is_asked_once_at_the_price_that_was_set(here: Path) -> None:
    told = piped("\\set epsilon 0.5", "SELECT COUNT(*) AS n", "FROM visits", ";", f"{COUNT};")
    assert told.count("guarantee: 0.5-differentially private") == 2
    assert "free" in told
    assert charges(here) == 1


def test_there_is_no_default_price(here: Path) -> None:
    told = refused("shell", input=f"{COUNT};\n")
    assert "say how much privacy to spend" in told
    assert "\\set epsilon 0.2: count rows +- 60" in told
    assert charges(here) == 0


def test_the_price_is_shown_before_it_is_paid(here: Path) -> None:
    told = piped(f"{COUNT} \\price", "\\set epsilon 0.5", "\\price", f"\\price {COUNT} WHERE age > 3;")
    assert told.count("error      count rows: +- 24 at 95%") == 2
    assert "\\set epsilon 1.0: count rows +- 12" in told
    assert charges(here) == 0
    assert "charged" in piped("\\set epsilon 0.5", f"{COUNT} \\price", "\\ask")
    assert charges(here) == 1
    assert "charged" in piped("\\set epsilon 0.5", f"{COUNT} \\fresh")
    assert charges(here) == 2


def test_tables_budget_settings_and_help_are_free(here: Path) -> None:
    told = piped("\\d", "\\d VISITS", "\\d adults", "\\budget", "\\set", "\\help")
    assert told.count("visits (unit: patient_id; max_rows = ") == 2
    assert "adults (view)" in told
    assert "100.00% left of epsilon 3" in told
    assert "not set: \\set epsilon 0.1 sets one" in told
    assert "\\price [QUESTION]" in told
    assert charges(here) == 0


def test_piped_lines_end_at_the_first_error_so_that_nothing_is_paid_by_mistake(here: Path) -> None:
    ran = Ran("shell", input=f"\\set epsilon 1\nSELECT nothing FROM visits;\n{COUNT};\n")
    assert (ran.code, charges(here)) == (2, 0)
    assert "nothing" in ran.err
    assert "was not asked" in refused("shell", input=f"\\set epsilon 1\n{COUNT}\n")
    assert charges(here) == 0
    assert Ran("shell", input=f"\\set epsilon 9\n{COUNT};\n").code == 3
    assert "one of \\d" in refused("shell", input="\\x\n")
    assert "no table 'nothing'" in refused("shell", input="\\d nothing\n")


def test_answers_come_in_other_forms_and_are_saved(here: Path) -> None:
    told = piped("\\set epsilon 1", "\\set format csv", f"{COUNT};", "\\save a.json", "\\plot a.png", "\\q", "never;")
    assert told.splitlines()[0] == "n,n_low,n_high"
    assert (here / "a.json").read_text().startswith("{")
    assert (here / "a.png").read_bytes().startswith(b"\x89PNG")
    assert "no answer yet" in refused("shell", input="\\save a.csv\n")


def test_bounds_are_found_at_the_epsilon_that_was_set(here: Path) -> None:
    assert "set one first" in refused("shell", input="\\bounds visits.cost\n")
    assert "cost = { lower =" in piped("\\set epsilon 1", "\\bounds visits.cost")


def typing(*lines: str | type[BaseException]) -> Callable[[str], str]:
    """Return what reads these lines; a class of exceptions is raised in its place."""
    left = list(lines)

    def read(prompt: str) -> str:
        if not left:
            raise EOFError
        line = left.pop(0)
        if isinstance(line, str):
            return line
        raise line

    return read


def test_ctrl_c_forgets_the_line_and_errors_do_not_end_a_terminals_shell(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with Curator.open(here / "policy.toml") as curator:
        shell = Shell(ShellTalk(curator), interactive=True)
        lines = ("\\set epsilon 1", COUNT, KeyboardInterrupt, "SELECT nothing FROM visits;", f"{COUNT} WHERE age > 50;")
        assert shell.run(typing(*lines)) == 0
    assert charges(here) == 1
    told = capsys.readouterr()
    assert "nothing" in told.err
    assert "guarantee" in told.out


def test_ctrl_c_while_a_question_is_waited_for_says_what_is_not_lost(
    here: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def stop(*given: object, **how: object) -> None:
        raise KeyboardInterrupt

    with Curator.open(here / "policy.toml") as curator:
        monkeypatch.setattr(curator, "ask", stop)
        assert Shell(ShellTalk(curator), interactive=True).run(typing("\\set epsilon 1", f"{COUNT};", "\\budget")) == 0
    told = capsys.readouterr()
    assert "asking the same again does not charge again" in told.err
    assert "left of epsilon" in told.out


def test_lines_are_kept_where_only_their_owner_reads_them(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("DISCREET_HISTORY", raising=False)
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    history = find_history()
    assert history == tmp_path / "discreet" / "history"
    with edited_lines(lambda text: [], history):
        pass
    assert history.stat().st_mode & 0o077 == 0
    monkeypatch.setenv("DISCREET_HISTORY", "")
    assert find_history() is None


def take_terminal() -> None:
    """Make the terminal this process's own, and hear Ctrl-C there, which background jobs are told to ignore."""
    os.close(os.open(os.ttyname(0), os.O_RDWR))
    signal.signal(signal.SIGINT, signal.SIG_DFL)


def at_terminal(folder: Path, steps: list[tuple[str, str]]) -> str:
    """Run the shell at a pseudo-terminal: wait for each text, then type; return all that was shown.

    Ctrl-C is pressed again where nothing follows for five seconds, as a person would: Python's own line reader
    misses one that comes between the prompt and its wait for a key.
    """
    ours, theirs = pty.openpty()
    env = {**os.environ, "TERM": "dumb", "COLUMNS": "100", "DISCREET_HISTORY": str(folder / "history")}
    command = [sys.executable, "-m", "discreet", "shell"]
    child = subprocess.Popen(
        command,
        cwd=folder,
        env=env,
        stdin=theirs,
        stdout=theirs,
        stderr=theirs,
        start_new_session=True,
        preexec_fn=take_terminal,
    )
    os.close(theirs)
    shown, at, last, end = "", 0, "", time.monotonic() + 200
    try:
        for wanted, typed in steps:
            while (found := shown.find(wanted, at)) < 0:
                assert time.monotonic() < end, shown
                if select.select([ours], [], [], 5)[0]:
                    shown += os.read(ours, 65536).decode()
                elif last == "\x03":
                    os.write(ours, last.encode())
            at, last = found + len(wanted), typed
            os.write(ours, typed.encode())
        assert child.wait(30) == 0, shown
    finally:
        child.kill()
        child.wait()
        os.close(ours)
    return re.sub(r"\x1b\[[0-9;?]*[a-zA-Z]", "", shown)


def test_at_a_real_terminal_tab_completes_and_ctrl_c_and_ctrl_d_do_their_work(here: Path) -> None:
    shown = at_terminal(
        here,
        [
            ("discreet> ", "\\bud\t\r"),
            ("left of epsilon", ""),
            ("discreet> ", "\\set epsilon 0.5\r"),
            ("discreet> ", "SELECT COUNT(*) FROM visits WHERE\r"),
            ("-> ", "\x03"),
            ("discreet> ", "SELECT COUNT(*) AS n FROM visi\t;\r"),
            ("receipt: ", ""),
            ("discreet> ", "\x04"),
        ],
    )
    assert "guarantee: 0.5-differentially private" in shown
    assert charges(here) == 1
    assert "SELECT COUNT(*) AS n FROM visits" in (here / "history").read_text()


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(*make_served_clinic(tmp_path_factory.mktemp("clinic"), epsilon=20)) as running:
        yield running


def test_a_server_is_asked_like_a_policy(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, served.tokens["alice"])
    lines = [
        "\\d visits",
        "\\set epsilon 0.01",
        "\\set $age 40",
        f"{COUNT} WHERE age > $age \\price",
        "\\ask",
        "\\budget",
    ]
    told = run("shell", "--connect", f"http://127.0.0.1:{served.port}", input="\n".join(lines))
    assert "visits (unit: patient_id; max_rows = " in told
    assert "more questions at this price fit" in told
    assert "guarantee: 0.01-differentially private" in told
    assert "alice" in told
    assert "total" not in told
    assert served.tokens["alice"] not in told


def test_without_a_token_nobody_asks_a_server(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    address = f"http://127.0.0.1:{served.port}"
    assert TOKEN in refused("shell", "--connect", address, input="\\d\n")
    monkeypatch.setenv(TOKEN, "alice.wrong")
    assert "alice.wrong" not in refused("shell", "--connect", address, input="\\d\n")
    assert "alone" in refused("shell", "--connect", address, "--analyst", "alice", input="")


def test_a_wrong_token_is_said_at_the_start(served: Served, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(TOKEN, "alice.wrong")
    address = f"http://127.0.0.1:{served.port}"
    assert "token" in refused("shell", "--connect", address, input="")
    monkeypatch.setenv(TOKEN, served.tokens["alice"])
    assert run("shell", "--connect", address, input="") == ""
    assert refused("shell", "--connect", "http://127.0.0.1:9", input="")


def test_programs_read_accounts_and_the_audit_log_as_json(served: Served) -> None:
    accounts = json.loads(run("analyst", "list", "--format", "json", "--policy", served.path))
    assert {"alice", "bob", "carol"} <= {each["name"] for each in accounts}
    assert all(token not in json.dumps(accounts) for token in served.tokens.values())
    with served.connect("alice") as alice:
        alice.ask(COUNT, 0.01)
    lines = json.loads(run("audit-log", "--last", 3, "--format", "json", "--policy", served.path))
    assert 1 <= len(lines) <= 3
    assert {"number", "at", "kind", "who", "body"} == set(lines[0])
    assert json.loads(run("audit-log", "--verify", "--format", "json", "--policy", served.path))["ok"] is True


def test_no_argument_takes_a_token() -> None:
    def list_names(command: object) -> Iterator[str]:
        for each in getattr(command, "params", ()):
            yield from (*each.opts, each.name)
        for each in getattr(command, "commands", {}).values():
            yield from list_names(each)

    names = list(list_names(typer.main.get_command(app)))
    assert "--connect" in names
    assert not [name for name in names if "token" in name or "password" in name]


def test_a_token_in_the_address_is_refused_and_not_repeated() -> None:
    for address in ("https://alice:tok.en@host", "https://host?token=tok.en", "tok.en@host"):
        told = refused("shell", "--connect", address, "--analyst", "x", input="")
        assert "a token has no place in it" in told
        assert "tok.en" not in told


def test_a_token_is_typed_without_being_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(TOKEN, raising=False)
    assert read_token(lambda: " alice.x \n") == "alice.x"
    with pytest.raises(DiscreetError, match="there is no token"):
        read_token(None)
    asked: list[str] = []

    def type_token(prompt: str) -> str:
        asked.append(prompt)
        return "alice.y"

    monkeypatch.setattr(getpass, "getpass", type_token)
    monkeypatch.setattr(sys.stdin, "isatty", lambda: True, raising=False)
    open_place("http://localhost:1", None, None)
    assert asked == ["token: "]
    monkeypatch.setenv(TOKEN, "alice.z")
    assert read_token(lambda: "other") == "alice.z"
