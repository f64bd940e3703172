"""Reconstruction: many counts of random groups of people, a little noise in each, and all secrets come out.

Theorem (Dinur, Nissim 2003): who has the answers to a few times as many random subset counts as there are people, each
with noise below the root of their number, finds nearly all bits by a linear program. Least squares do as well. Against
that helps noise as large as a budget asks for, however it is spread over the questions.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from discreet.audit.attacks.asking import ask_whole, open_curator, plan_whole, write_policy
from discreet.audit.attacks.fitting import METHODS
from discreet.audit.attacks.guesses import bound_right_guesses
from discreet.audit.attacks.people import Secret, check_secret
from discreet.audit.attacks.pictures import draw_reconstruction
from discreet.audit.attacks.telling import (
    EXACT,
    find_standard_error,
    write_caption,
    write_count,
    write_findings,
    write_percent,
)
from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.base.grid import Floats
from discreet.base.showing import ShownAsText
from discreet.base.wide import Ints
from discreet.noise.coin import Bools
from discreet.privacy.neighbours import Neighbours

QUESTIONS = "SELECT question, COUNT(*) AS n FROM people JOIN subsets USING (person) WHERE secret GROUP BY question"
DEVIATIONS = (0.0, 1 / 16, 1 / 8, 1 / 4, 1 / 2, 1.0, 2.0, 4.0, 8.0)
"""Noise that is tried, in roots of the number of people."""

NORMAL = 0.6827
"""Of an interval that is one deviation of Gaussian noise to either side."""

RELATIONS = (Neighbours.REPLACE, Neighbours.ADD_REMOVE)


@dataclass(frozen=True, slots=True)
class GuessedBits:
    """The share of bits that one attack found, in each of several runs."""

    method: str
    deviation: float
    """Of the noise in one answer."""
    shares: tuple[float, ...]

    @property
    def mean(self) -> float:
        """The mean over all runs."""
        return math.fsum(self.shares) / len(self.shares)

    @property
    def standard_error(self) -> float:
        """Of the mean, from the runs; infinite where there is one."""
        return find_standard_error(self.shares)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON values."""
        return {
            "method": self.method,
            "deviation": self.deviation,
            "right": self.mean,
            "standard_error": self.standard_error,
        }


@dataclass(frozen=True, slots=True)
class GuardedBits:
    """What the attacks found in a curator's answers, and the most that anybody finds on average."""

    neighbours: Neighbours
    guarantee: str
    bound: float
    found: tuple[GuessedBits, ...]


@dataclass(frozen=True, repr=False)
class Reconstruction(ShownAsText):
    """How many secret bits were found, against the noise in every answer, and in a curator's answers."""

    words: str
    people: int
    answers: int
    runs: int
    epsilon: float
    delta: float
    curve: tuple[GuessedBits, ...]
    guarded: tuple[GuardedBits, ...]
    own: bool = False
    """Whether it is a secret of a table of one's own."""

    def find(self, method: str, deviation: float) -> GuessedBits:
        """Return what a method found at the noise of the curve that is nearest to a deviation."""
        of_method = [each for each in self.curve if each.method == method]
        return min(of_method, key=lambda each: abs(each.deviation - deviation))

    def __str__(self) -> str:
        root = math.sqrt(self.people)
        methods = list(dict.fromkeys(each.method for each in self.curve))
        lines = [
            ("the secret", f"{self.words}; {self.people:,} people, who have it by a fair coin; {self._tell_runs()}"),
            (
                "the attack",
                f"{write_count(self.answers, 'count')} of random groups with the secret, then {' or '.join(methods)}",
            ),
        ]
        for deviation in sorted({each.deviation for each in self.curve}):
            noise = f"noise {deviation:.3g} = {deviation / root:.3g} sqrt(n)" if deviation else "exact counts"
            found = [self.find(method, deviation) for method in methods]
            lines.append((noise, f"{_list_shares(found)} of the bits"))
        for guard in self.guarded:
            words = f"{_list_shares(guard.found)} of the bits, by noise {guard.found[0].deviation:.3g}; nobody finds "
            words += f"more than {write_percent(guard.bound)} on average. {guard.guarantee}"
            lines.append((f"curator, {guard.neighbours}", words))
        note = (
            "The curator, which has a durable ledger, answered all counts as one question by group. Half of all bits "
        )
        note += "are right by tossing coins."
        return write_findings(
            "Reconstruction: secrets from counts of random groups", lines, [note, *[EXACT] * self.own]
        )

    def _tell_runs(self) -> str:
        return "one run" if self.runs == 1 else f"means of {self.runs:,} runs"

    def to_dict(self) -> dict[str, Any]:
        """Return all of it as JSON values."""
        return {
            "attack": "reconstruction",
            "secret": self.words,
            "people": self.people,
            "answers": self.answers,
            "runs": self.runs,
            "epsilon": self.epsilon,
            "delta": self.delta,
            "curve": [each.to_dict() for each in self.curve],
            "curator": [
                {
                    "neighbours": str(guard.neighbours),
                    "guarantee": guard.guarantee,
                    "bound": guard.bound,
                    **each.to_dict(),
                }
                for guard in self.guarded
                for each in guard.found
            ],
            **({"for": EXACT} if self.own else {}),
        }

    def plot(self, path: str | Path | None = None) -> Any:
        """Draw the share of bits found against the noise, the curator's points beside; saved where a path is given."""
        methods = list(dict.fromkeys(each.method for each in self.curve))
        curves = [
            (method, [each.deviation for each in points], [each.mean for each in points])
            for method in methods
            for points in [sorted((e for e in self.curve if e.method == method), key=lambda each: each.deviation)]
        ]
        guards = [
            (
                f"the most under the curator: {write_percent(guard.bound)}, {guard.neighbours}",
                guard.bound,
                (
                    f"the curator, {guard.neighbours}",
                    [each.deviation for each in guard.found],
                    [each.mean for each in guard.found],
                ),
            )
            for guard in self.guarded
        ]
        below = (
            f"{write_count(self.answers, 'count')} of random groups of {self.people:,} people with {self.words}, "
            f"{self._tell_runs()}; the root of the "
            f"number of people is {math.sqrt(self.people):.3g}. The curator's answers together: epsilon "
            f"{self.epsilon:g}, delta {self.delta:g}."
        )
        drawn = write_caption(below, self.own)
        return draw_reconstruction(curves, guards, drawn, None if path is None else Path(path))


def _list_shares(found: Sequence[GuessedBits]) -> str:
    return ", ".join(f"{each.method} {write_percent(each.mean)}" for each in found)


def reconstruct(
    secret: Secret | None = None,
    *,
    people: int = 256,
    answers: int | None = None,
    runs: int = 1,
    deviations: Sequence[float] | None = None,
    methods: Sequence[str] = tuple(METHODS),
    epsilon: float = 1.0,
    delta: float = 1e-6,
    neighbours: Sequence[str] = RELATIONS,
    seed: int | None = None,
) -> Reconstruction:
    """Find secret bits from counts of random groups: with Gaussian noise of each deviation, and from a curator.

    Every run draws people and groups anew. There are four counts for each person, unless `answers` says otherwise. The
    curator's answers to all of them together are (epsilon, delta)-differentially private: one question by group, whose
    noise the accountant finds for the whole, which no way to ask one by one makes less.
    """
    check.integer("people", people, least=4)
    plan_whole(epsilon, delta, people)  # so that what cannot be asked is refused first
    check.integer("runs", runs, least=1)
    count = check.integer("answers", 4 * people if answers is None else answers, least=1)
    tried = [each * math.sqrt(people) for each in DEVIATIONS] if deviations is None else [float(e) for e in deviations]
    if any(each < 0 or not math.isfinite(each) for each in tried):
        raise ParameterError("deviations", deviations, "finite numbers of at least 0")
    unknown = [each for each in methods if each not in METHODS]
    if unknown or not methods:
        raise ParameterError("methods", unknown or methods, f"some of {', '.join(METHODS)}")
    relations = [Neighbours.named(each) for each in neighbours]
    own = None if secret is None else check_secret(secret)
    chance = np.random.default_rng(seed)
    shares: dict[tuple[str, float], list[float]] = {}
    guards: dict[tuple[Neighbours, str], list[tuple[str, float, float]]] = {}
    words = "a made-up bit"
    for _ in range(runs):
        if own is None:
            bits = chance.random(people) < 0.5
        else:
            bits, words = own.bits[own.draw(people, chance)], own.words
        groups = chance.random((count, people)) < 0.5
        exact = groups.astype(np.int64) @ bits.astype(np.int64)
        for deviation in tried:
            noisy = exact + chance.normal(0.0, 1.0, count) * deviation
            for method in methods:
                shares.setdefault((method, deviation), []).append(_guess(method, groups, noisy, bits))
        for relation in relations:
            told, guarantee, deviation = ask_curator(bits, groups, epsilon, delta, relation)
            for method in methods:
                found = (guarantee, deviation, _guess(method, groups, told.astype(np.float64), bits))
                guards.setdefault((relation, method), []).append(found)
    curve = tuple(GuessedBits(method, deviation, tuple(each)) for (method, deviation), each in shares.items())
    guarded = tuple(
        GuardedBits(
            relation,
            guards[relation, methods[0]][0][0],
            bound_right_guesses(epsilon, delta, relation),
            tuple(
                GuessedBits(method, each[0][1], tuple(share for _, _, share in each))
                for method in methods
                for each in [guards[relation, method]]
            ),
        )
        for relation in relations
    )
    spent = (float(epsilon), float(delta))
    return Reconstruction(words, people, count, runs, *spent, curve, guarded, own=own is not None)


def ask_curator(bits: Bools, groups: Bools, epsilon: float, delta: float, neighbours: str) -> tuple[Ints, str, float]:
    """Ask a curator for the counts of all groups; return them, what they guarantee, and about the noise's deviation.

    Which person is in which group is public: a table that people are joined to. So the most groups of one person are.
    """
    question, person = np.nonzero(groups)
    most = int(groups.sum(axis=0).max())
    policy = write_policy(
        "people",
        'unit = "person"\nmax_rows = 1',
        size=len(bits),
        neighbours=neighbours,
        public=("subsets",),
        **plan_whole(epsilon, delta, len(bits)),
    )
    tables = {
        "people": {"person": np.arange(len(bits)), "secret": np.asarray(bits, bool)},
        "subsets": {"person": person, "question": question},
    }
    with open_curator(policy, **tables) as curator:
        answer = ask_whole(curator, QUESTIONS, epsilon, max_groups=most, max_rows_per_group=1)
        low, high = next(pair for pair in answer.bounds_at(NORMAL)[0] if pair is not None)
    found = np.zeros(len(groups), dtype=np.int64)
    for number, count in answer.rows:
        found[int(str(number))] = int(str(count))
    return found, answer.guarantee, (float(high) - float(low)) / 2


def _guess(method: str, groups: Bools, answers: Floats, bits: Bools) -> float:
    """Return the share of bits that a method finds."""
    found = METHODS[method](groups.astype(np.float64), answers) > 0.5
    return float(np.mean(found == bits))
