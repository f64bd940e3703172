"""What a policy says of a server: the usual where it says nothing, and what is wrong with it in words."""

from __future__ import annotations

from fractions import Fraction

import pytest

from discreet.base.errors import PolicyError
from discreet.policy import describe_policy, loads
from discreet.policy.model import DeclaredServer, Policy
from support.clinic import write_policy


def read(section: str) -> Policy:
    return loads(write_policy(analysts=True) + section, "policy.toml")


def test_a_policy_that_says_nothing_has_the_usual_server_and_keeps_its_description() -> None:
    assert read("").server == DeclaredServer()
    assert "server" not in describe_policy(read(""))


def test_what_it_says_is_read_exactly() -> None:
    policy = read(
        '[server]\nhosts = ["Data.example.org", "[::1]"]\nworkers = 3\nrate = 60\nlogin_epsilon = 0.5\npatience = 2.5\n'
        "session_hours = 1"
    )
    assert policy.server == DeclaredServer(
        ("data.example.org", "[::1]"), 3, 60, Fraction(1, 2), Fraction(5, 2), Fraction(1)
    )
    assert describe_policy(policy)["server"]["login_epsilon"] == "0.5"


@pytest.mark.parametrize(
    ("section", "words"),
    [
        ('hosts = ["https://x.org"]', "is no name"),
        ('hosts = ["x.org:80"]', "is no name"),
        ("workers = 0", "a whole number of at least 1"),
        ("workers = 65", "write at most 64"),
        ("rate = -1", "a whole number of at least 1"),
        ("login_epsilon = 0", "write a number above 0"),
        ("patience = -1", "write a number above 0"),
        ("session_hours = 0", "write a number above 0"),
        ("port = 80", "is not known"),
    ],
)
def test_what_is_wrong_is_said(section: str, words: str) -> None:
    with pytest.raises(PolicyError, match=words):
        read(f"[server]\n{section}")
