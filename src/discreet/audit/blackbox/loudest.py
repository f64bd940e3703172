"""What so many outputs can show at all: no p-value is smaller than the chance of the loudest that they can say.

Pairs (X, Y) are independent, and S is an event. Nothing that n pairs can say against x <= e^epsilon y + delta, with
x = P[X in S] and y = P[Y in S], is louder than this: each X is in S, and no Y is. Where the claim holds, that has
the chance (x (1 - y))^n, and for some x and y that the claim allows

    q = max over y of (min(1, e^epsilon y + delta) (1 - y))^n.

Theorem: whoever refutes the claim by the loudest outcome, tosses no coins of their own, and refutes what holds with
probability at most a, has q <= a. For x and y where the maximum is, they refute what holds with probability q or more.
So p-values are raised to q: a larger p-value is one, too, and a lower bound may always be lowered. A test that tosses
coins, where its event was never seen, would be right to refute whatever it likes in one of twenty runs. But then its
coins speak, not the outputs.

Of epsilons it leaves those with q <= a. Since y = (1 - delta) / e^epsilon allows x = 1, they are at most

    log((1 - delta) / (1 - a^(1/n))), or some log(n / log(1/a)):

the bound of Clopper and Pearson (1934) for an event that n of n outputs are in is a^(1/n). Of mu it leaves at most
2 Phi^-1(a^(1/2n)): mu-GDP allows x = 1 - y = Phi(mu / 2), and every tangent of its trade-off curve allows that, too.
"""

from __future__ import annotations

import numpy as np

from discreet.base.grid import Floats


def find_loudest(epsilons: Floats, deltas: Floats, pairs: float) -> Floats:
    """Return for each claim the chance of the loudest outcome of so many pairs, where the claim just holds: q above."""
    ratio = np.exp(epsilons)
    unlikely = np.clip(np.minimum((1 - deltas / ratio) / 2, (1 - deltas) / ratio), 0.0, 1.0)
    likely = np.minimum(1.0, ratio * unlikely + deltas)
    return np.asarray((likely * (1 - unlikely)) ** pairs)
