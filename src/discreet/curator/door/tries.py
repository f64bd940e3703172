"""Tries: several runs at desks of their own, of which only the best is ever seen. For the desk alone.

`privacy/losses/best_of.py` has the theorem. What it asks for, and how it is kept:

- Each try loses no more than the base: its desk has a meter of its own, made for exactly that.
- Tries know nothing of each other: each begins at a fresh desk. (A run that remembers something between two tries
  breaks the guarantee, and the desk cannot see it; so does one that tells something to anybody but by what it returns.)
- Which tries count is secret: coins are tossed before the first one, all tries are run, in a public order, and nothing
  is journaled, counted or shown until the last one has ended. So neither the clock, nor the number of draws, nor the
  journal depends on the coins, and a run that died begins anew, with new coins and new noise: nobody saw the old ones.
- A try that fails fails the whole, with the one generic message: whether one of the losers failed is not paid for, so
  what its desk refused is not told either.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol, TypeVar

from discreet.base.errors import FailedError, OperationError
from discreet.curator.door.meter import make_loss_meter
from discreet.ledger import JournalRow
from discreet.noise import bernoulli
from discreet.privacy import BestOfLoss


class TryDesk(Protocol):
    """What a try is run at."""

    @property
    def failure(self) -> BaseException | None:
        """What failed while something was drawn."""


D = TypeVar("D", bound=TryDesk)

TryRun = Callable[[D], tuple[bytes, int]]
"""One try: what it found, and its score, both made of what its desk returned and of nothing else."""


class NoJournal:
    """The journal of a try: there is none."""

    def read(self) -> tuple[JournalRow, ...]:
        """Return nothing."""
        return ()

    def write(self, position: int, rows: tuple[JournalRow, ...]) -> None:
        """Write nothing."""


def check_tries(runs: Sequence[TryRun[D]], loss: BestOfLoss) -> None:
    """Refuse, before anything is drawn, what could not be run or metered."""
    if type(loss) is not BestOfLoss:
        raise OperationError("the best of several tries is declared by a BestOfLoss: a base, tries and a chance")
    if not isinstance(runs, list | tuple) or not runs or not all(callable(run) for run in runs):
        raise OperationError("tries are a list of functions that take a desk and return (bytes, score)")
    if loss.tries % len(runs):
        raise OperationError(f"{len(runs)} runs are tried equally often: {loss.tries} tries is no multiple of that")
    make_loss_meter(loss.base)


def refuse_telling() -> None:
    """Refuse to confirm a result of a try before the last one has ended."""
    raise OperationError("a try tells nobody anything: return it")


def choose_best(runs: Sequence[TryRun[D]], loss: BestOfLoss, open_desk: Callable[[Callable[[], None]], D]) -> bytes:
    """Return what the best of the tries that count returned, of equal ones the first; all of them are run."""
    best: tuple[int, bytes] | None = None
    for place, counts in enumerate(toss_coins(loss)):
        result, score = _run_one(runs[place % len(runs)], open_desk)
        if counts and (best is None or score > best[0]):
            best = score, result
    assert best is not None
    return best[1]


def toss_coins(loss: BestOfLoss) -> list[bool]:
    """Return which tries count: an exact coin for each, tossed again where none would."""
    while True:
        coins = [bool(each) for each in bernoulli(loss.exact_chance, loss.tries)]
        if any(coins):
            return coins


def _run_one(run: TryRun[D], open_desk: Callable[[Callable[[], None]], D]) -> tuple[bytes, int]:
    """Run a try at a desk that is closed afterwards."""
    ended = False

    def check_open() -> None:
        if ended:
            raise OperationError("this try has ended, and its desk with it")

    try:
        desk = open_desk(check_open)
        found = run(desk)
        if desk.failure is not None:
            raise desk.failure
    except OperationError as trouble:
        raise FailedError("a try asked its desk for something that it refused") from trouble
    finally:
        ended = True
    if not isinstance(found, tuple) or [type(each) for each in found] != [bytes, int]:
        raise FailedError("a try returned something else than (bytes, whole number)")
    return found
