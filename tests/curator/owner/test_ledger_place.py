"""A curator whose ledger is on PostgreSQL: created by init alone, shared by all who ask, and never a second budget."""

from __future__ import annotations

import itertools
import os
import shutil
import signal
import warnings
from collections import Counter
from pathlib import Path

import pytest

from discreet.base.errors import FailedError, LedgerError, PolicyError, SuspendedError
from discreet.curator import Curator
from discreet.curator.owner.account import read_facts
from discreet.curator.owner.ledger_place import choose_new_place, find_ledger_place
from discreet.ledger import Ledger, Server
from discreet.ledger.steps import STEPS, watch_steps
from discreet.policy import load
from servers.postgres import Cluster
from support.cli import COUNT, POLICY, Ran, refused, run
from support.clinic import write_tables

DSN = "DISCREET_TEST_LEDGER"
NUMBERS = itertools.count(1)


def section(schema: str) -> str:
    return f'\n[ledger]\ndsn_env = "{DSN}"\nschema = "{schema}"\n'


@pytest.fixture
def schema(postgres: Cluster, common_database: str, monkeypatch: pytest.MonkeyPatch) -> str:
    monkeypatch.setenv(DSN, postgres.dsn(common_database))
    return f"curator_{next(NUMBERS)}"


@pytest.fixture
def here(tmp_path: Path, schema: str, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with data and a policy whose ledger is on PostgreSQL, and not made yet."""
    write_tables(tmp_path)
    (tmp_path / "policy.toml").write_text(POLICY + section(schema))
    monkeypatch.chdir(tmp_path)
    return tmp_path


def asked(folder: Path) -> str:
    with Curator.open(folder / "policy.toml") as curator:
        return str(curator.ask(COUNT, 0.5).value)


def test_the_ledger_is_beside_the_policy_unless_it_says_otherwise(tmp_path: Path) -> None:
    path = tmp_path / "policy.toml"
    path.write_text(POLICY)
    assert find_ledger_place(path) == find_ledger_place(load(path)) == tmp_path / ".discreet" / "ledger.db"
    path.write_text(POLICY + section("clinic"))
    assert find_ledger_place(path) == find_ledger_place(load(path)) == Server(DSN, "clinic")
    path.write_text(section("clinic") + "nonsense = 1\n[more]\n")
    with pytest.raises(PolicyError, match=r"ledger\.nonsense: is not known"):
        find_ledger_place(path)
    path.write_text("nonsense")
    with pytest.raises(LedgerError, match=r"there is no ledger at .* no other is named"):
        find_ledger_place(path)


def test_a_second_ledger_beside_a_files_is_refused(tmp_path: Path) -> None:
    write_tables(tmp_path)
    path = tmp_path / "policy.toml"
    path.write_text(POLICY)
    Curator.init(path)
    path.write_text(POLICY + section("clinic"))
    with pytest.raises(LedgerError, match=r"a ledger already: .* would be a second budget"):
        choose_new_place(load(path))
    with pytest.raises(LedgerError, match="second budget"):
        Curator.init(path)


def test_two_hosts_share_one_budget_and_one_answer(here: Path, tmp_path_factory: pytest.TempPathFactory) -> None:
    assert isinstance(Curator.init(here / "policy.toml"), Server)
    other = tmp_path_factory.mktemp("other host")
    shutil.copytree(here, other, dirs_exist_ok=True)
    assert asked(here) == asked(other)
    assert not (here / ".discreet").exists()
    with Curator.open(here / "policy.toml") as curator:
        assert curator.ledger.spent().spent[0] == 0.5
        assert curator.ledger.verify().ok


def test_the_owners_way_on_the_command_line(here: Path, schema: str) -> None:
    for command in (["ask", COUNT, "-e", "1"], ["budget"], ["ledger"], ["data"]):
        assert "there is no ledger in schema" in refused(*command)
    assert "there is no ledger in schema" in refused("ledger", "--verify", code=1)
    assert "`discreet init` creates one" in Ran("check").out
    assert f"created the ledger in schema {schema} of the PostgreSQL database in ${DSN}" in run("init")
    assert "exists already" in refused("init")
    assert "everything fits" in run("check")
    run("ask", COUNT, "-e", 0.5)
    assert "16.67% spent" in run("budget")
    assert "CHARGE" in run("ledger", "--format", "json")
    assert "all as the chain says" in run("ledger", "--verify")
    (here / "policy.toml").write_text("[nonsense]\n" + section(schema))
    assert "all as the chain says" in run("ledger", "--verify")


def test_a_variable_that_is_not_set_is_named(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv(DSN)
    for command in (["ask", COUNT, "-e", "1"], ["init"], ["budget"]):
        assert f"the environment variable {DSN} is not set" in refused(*command)
    assert f"the environment variable {DSN} is not set" in Ran("check").out


def test_a_failure_suspends_on_every_host(here: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    Curator.init(here / "policy.toml")
    with Curator.open(here / "policy.toml") as curator, Curator.open(here / "policy.toml", operator=True) as other:
        with monkeypatch.context() as patch:
            patch.setattr("discreet.curator.door.desk.release", lambda *_: 1 / 0)
            with pytest.raises(FailedError):
                curator.ask(COUNT, 0.5)
        with pytest.raises(SuspendedError):
            other.ask(COUNT, 0.5)
        other.resume()
        other.ask(COUNT, 0.5)
        assert other.ledger.spent().spent[0] == 0.5


NOT_PASSED = ("sharing", "before part", "part kept")
"""Gaps that one question of one analyst does not pass: it shares nothing, and has no parts."""


@pytest.mark.many
@pytest.mark.parametrize("gap", [step for step in STEPS if step not in NOT_PASSED])
def test_a_curator_killed_in_any_gap_costs_at_most_one_charge_and_has_one_answer(here: Path, gap: str) -> None:
    """kill -9 while the whole curator answers; then others ask the same."""
    Curator.init(here / "policy.toml")

    def crashing(where: str) -> None:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # forks of a process with threads
            child = os.fork()
        if child == 0:
            signal.alarm(60)
            with watch_steps(lambda name: os.kill(os.getpid(), signal.SIGKILL) if name == where else None):
                asked(here)
            os._exit(1)
        _, status = os.waitpid(child, 0)
        assert os.WTERMSIG(status) == signal.SIGKILL

    if gap == "taking over":
        crashing("charged")
    crashing(gap)
    assert asked(here) == asked(here)
    with Ledger.open(find_ledger_place(here / "policy.toml"), read_facts(load(here / "policy.toml"))) as ledger:
        kinds = Counter(entry.kind for entry in ledger.entries())
        assert (kinds["CHARGE"], kinds["RECORD"]) == (1, 1)
        assert ledger.spent().spent[0] == 0.5
        assert ledger.verify().ok
