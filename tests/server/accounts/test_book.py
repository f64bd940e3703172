"""Accounts: a token is shown once, opens one name, and is worth nothing once it was rotated, revoked or expired."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from discreet.base.errors import ParameterError
from discreet.curator.owner.account import read_facts
from discreet.ledger import Ledger
from discreet.policy import load
from discreet.server.accounts.account import Role
from discreet.server.accounts.book import AccountBook, LoginError
from support.clinic import write_policy


class Clock:
    now = 1_800_000_000.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def clock() -> Clock:
    return Clock()


@pytest.fixture
def ledger(tmp_path: Path) -> Iterator[Ledger]:
    (tmp_path / "policy.toml").write_text(write_policy(analysts=True))
    with Ledger.create(tmp_path / "ledger.db", read_facts(load(tmp_path / "policy.toml"))) as made:
        yield made


@pytest.fixture
def book(tmp_path: Path, ledger: Ledger, clock: Clock) -> AccountBook:
    return AccountBook(load(tmp_path / "policy.toml"), ledger, clock)


def test_a_token_opens_its_own_name_and_no_copy_of_it_is_kept(
    book: AccountBook, ledger: Ledger, tmp_path: Path
) -> None:
    token = book.add("alice")
    for _ in range(2):
        assert (book.check_token(token).name, book.check_token(token).role) == ("alice", Role.ANALYST)
    ledger.close()
    secret = token.rpartition(".")[2].encode()
    assert all(secret not in file.read_bytes() for file in tmp_path.rglob("*") if file.is_file())


@pytest.mark.parametrize(
    "change", [lambda t: t[:-1], lambda t: f"{t}x", lambda t: t.replace("alice", "bob"), str.upper]
)
def test_another_token_opens_nothing(book: AccountBook, change: object) -> None:
    token = book.add("alice")
    book.add("bob")
    with pytest.raises(LoginError):
        book.check_token(change(token))  # type: ignore[operator]


@pytest.mark.parametrize(
    "token", ["", ".", "alice", "alice.", ".x", "nobody.x", "a\0b.x", "alice." + "x" * 5000, "\udc80.x"]
)
def test_what_is_no_token_is_refused_in_the_same_words(book: AccountBook, token: str) -> None:
    book.add("alice")
    with pytest.raises(LoginError) as refused:
        book.check_token(token)
    with pytest.raises(LoginError) as usual:
        book.check_token("alice.wrong")
    assert str(refused.value) == str(usual.value)


def test_a_token_ends_by_its_time_by_rotation_and_by_revocation(book: AccountBook, clock: Clock) -> None:
    first = book.add("alice", days=1)
    book.check_token(first)
    clock.now += 86_400
    with pytest.raises(LoginError):
        book.check_token(first)
    second = book.rotate("alice")
    assert book.check_token(second).name == "alice"
    with pytest.raises(LoginError):
        book.check_token(first)
    book.revoke("alice")
    with pytest.raises(LoginError):
        book.check_token(second)
    assert [each.describe(clock.now) for each in book.accounts] == ["revoked"]


def test_another_process_sees_a_revocation_at_once(book: AccountBook, ledger: Ledger, tmp_path: Path) -> None:
    token = book.add("alice")
    other = AccountBook(load(tmp_path / "policy.toml"), ledger)
    other.check_token(token)
    book.revoke("alice")
    with pytest.raises(LoginError):
        other.check_token(token)


def test_an_unknown_name_has_a_verifier_that_stays_and_that_nobody_passes(book: AccountBook) -> None:
    one, two = book.find_verifier("nobody"), book.find_verifier("nobody")
    assert (one.salt, one.iterations) == (two.salt, two.iterations)
    assert one.stored_key != two.stored_key
    assert one.salt != book.find_verifier("noone").salt


def test_an_unknown_name_keeps_its_salt_when_the_server_starts_again(book: AccountBook, ledger: Ledger) -> None:
    """Else those would be known whose salt stays."""
    book.add("alice")
    again = AccountBook(book._policy, ledger)
    for name in ("alice", "nobody"):
        assert again.find_verifier(name).salt == book.find_verifier(name).salt


def test_analysts_are_those_of_the_policy_and_owners_are_none_of_them(book: AccountBook) -> None:
    with pytest.raises(ParameterError, match=r"add \[analysts.carol\]"):
        book.add("carol")
    with pytest.raises(ParameterError, match="no analyst's"):
        book.add("alice", Role.OWNER)
    assert book.check_token(book.add("carol", Role.OWNER)).role is Role.OWNER
    with pytest.raises(ParameterError, match="a new name"):
        book.add("carol", Role.OWNER)
    with pytest.raises(ParameterError, match="a known account"):
        book.rotate("alice")


def test_an_analyst_whom_the_policy_no_longer_has_is_not_let_in(
    book: AccountBook, ledger: Ledger, tmp_path: Path
) -> None:
    token = book.add("alice")
    (tmp_path / "policy.toml").write_text(write_policy())
    with pytest.raises(LoginError):
        AccountBook(load(tmp_path / "policy.toml"), ledger).check_token(token)
