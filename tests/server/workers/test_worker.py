"""A worker does what is on its list for whoever asks, and nothing else that a clerk can do."""

from __future__ import annotations

from typing import Any

import pytest

from discreet.server.workers.worker import CALLS, OWNER_CALLS, ClerkCall, Reply, _answer


class Recorder:
    """A clerk that can do anything, and says what was done."""

    def __init__(self) -> None:
        self.done: list[str] = []

    def __getattr__(self, name: str) -> Any:
        return lambda *given: self.done.append(name)


class RecordingClerk(Recorder):
    """One with an owner's clerk beside it."""

    def __init__(self) -> None:
        super().__init__()
        self.owner = Recorder()


def answer(method: str, owner: bool) -> tuple[RecordingClerk, list[Reply]]:
    clerk, replies = RecordingClerk(), list[Reply]()
    _answer(clerk, ClerkCall(7, method, (), owner), replies.append)  # type: ignore[arg-type]
    return clerk, replies


@pytest.mark.parametrize("method", [*sorted(OWNER_CALLS - CALLS), "close", "anything"])
def test_nothing_beside_the_analysts_list_is_done_for_them(method: str) -> None:
    clerk, replies = answer(method, owner=False)
    assert (clerk.done, clerk.owner.done) == ([], [])
    assert [reply.error is not None for reply in replies] == [True]


@pytest.mark.parametrize("method", [*sorted(CALLS - OWNER_CALLS), "close", "anything"])
def test_nothing_beside_the_owners_list_is_done_for_owners(method: str) -> None:
    clerk, replies = answer(method, owner=True)
    assert (clerk.done, clerk.owner.done) == ([], [])
    assert [reply.error is not None for reply in replies] == [True]


def test_what_is_on_a_list_is_done_by_the_clerk_of_that_list() -> None:
    clerk, replies = answer("read_budget", owner=False)
    assert (clerk.done, clerk.owner.done, replies) == (["read_budget"], [], [Reply(7)])
    clerk, replies = answer("read_budget", owner=True)
    assert (clerk.done, clerk.owner.done, replies) == ([], ["read_budget"], [Reply(7)])
