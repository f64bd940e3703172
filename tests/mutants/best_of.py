"""The rules of choosing the best of several tries, each broken once: what it costs, what is secret, what is metered."""

from __future__ import annotations

from mutants.mutant import broken

LOSS = "tests/privacy/losses/test_best_of.py"
TRIES = "tests/curator/door/test_tries.py"
METER = "tests/curator/door/test_meter.py"
CHOOSING = "tests/learn/test_choosing.py"
ERRORS = "tests/gradients/test_errors.py"

THEOREM = [
    broken(
        "best of: the other tries cost nothing",
        "privacy/losses/best_of.py",
        "        beaten = (self.tries - 1) * ball(self._find_factor(order))\n",
        "        beaten = arb(0)\n",
        LOSS,
    ),
    broken(
        "best of: how many tries count costs nothing",
        "privacy/losses/best_of.py",
        "(self._find_mean().log() + beaten) / (ball(order) - 1)\n",
        "beaten / (ball(order) - 1)\n",
        LOSS,
    ),
    broken(
        "best of: only one try is charged to whoever saw all of them",
        "privacy/losses/best_of.py",
        "        grown = (1 - chance + chance * ((order - 1) * size).exp()) ** self.tries\n",
        "        grown = chance * ((order - 1) * size).exp() + (1 - chance) ** self.tries\n",
        LOSS,
    ),
    broken(
        "best of: events keep their probabilities",
        "privacy/losses/best_of.py",
        "moved.append(down((1 - chance * ball(slope * end + start)).log()))",
        "moved.append(down((1 - chance * ball(end)).log()))",
        LOSS,
    ),
    broken(
        "best of: rho is that of orders near 1",
        "privacy/losses/best_of.py",
        "        found = find_before(order)\n",
        "        return find_before(Fraction(1001, 1000))\n",
        LOSS,
    ),
    broken(
        "best of: a pure epsilon is that of one try",
        "privacy/losses/best_of.py",
        "        return float_up(Fraction(each) + (self.tries - 1) * Fraction(ratio))\n",
        "        return float_up(Fraction(each))\n",
        LOSS,
    ),
]

DESK = [
    broken(
        "best of: the cost of one try is charged",
        "curator/door/desk.py",
        "            call, charge_of(loss), loss, lambda: choose_best(",
        "            call, charge_of(loss.base), loss, lambda: choose_best(",
        TRIES,
    ),
    broken(
        "best of: tries that do not count are not run",
        "curator/door/tries.py",
        "    for place, counts in enumerate(toss_coins(loss)):\n",
        "    for place, counts in enumerate(toss_coins(loss)):\n        if not counts:\n            continue\n",
        TRIES,
    ),
    broken(
        "best of: tries after the last that counts are not run",
        "curator/door/tries.py",
        "    for place, counts in enumerate(toss_coins(loss)):\n",
        "    coins = toss_coins(loss)\n    while not coins[-1]:\n        coins.pop()\n"
        "    for place, counts in enumerate(coins):\n",
        TRIES,
    ),
    broken(
        "best of: every try counts",
        "curator/door/tries.py",
        "        if counts and (best is None or score > best[0]):\n",
        "        if best is None or score > best[0]:\n",
        TRIES,
    ),
    broken(
        "best of: coins are even whatever was declared",
        "curator/door/tries.py",
        "bernoulli(loss.exact_chance, loss.tries)",
        "bernoulli(0.5, loss.tries)",
        TRIES,
    ),
    broken(
        "best of: losers are journaled",
        "curator/door/desk.py",
        "            NoJournal(),\n",
        "            self.__recorder._journal,\n",
        TRIES,
    ),
    broken(
        "best of: a try draws what it likes",
        "curator/door/desk.py",
        "            make_loss_meter(base),\n            NoJournal(),\n",
        "            make_loss_meter(type(base)(10**9)),\n            NoJournal(),\n",
        TRIES,
    ),
    broken(
        "best of: a try may ask the desk that journals",
        "curator/door/recorder.py",
        "        if self._drawing:\n",
        "        if False:\n",
        TRIES,
    ),
    broken(
        "best of: the desk of a try outlives it",
        "curator/door/tries.py",
        "        ended = True\n",
        "        pass\n",
        TRIES,
    ),
    broken(
        "best of: what a loser was refused is told",
        "curator/door/tries.py",
        "    except OperationError as trouble:\n",
        "    except ZeroDivisionError as trouble:\n",
        TRIES,
    ),
    broken(
        "best of: a draw that failed is forgotten",
        "curator/door/tries.py",
        "        if desk.failure is not None:\n            raise desk.failure\n",
        "",
        TRIES,
    ),
    broken(
        "best of: noise of any kind passes for Gaussian",
        "curator/door/meter.py",
        '        if not isinstance(loss, GaussianLoss):\n            raise OperationError(f"a GaussianLoss was',
        '        if loss is None:\n            raise OperationError(f"a GaussianLoss was',
        METER,
    ),
]

LEARNING = [
    broken(
        "best of: the score's noise is free",
        "learn/choosing.py",
        "allowance.take(1 - SCORE_SHARE), patience=patience)\n",
        "allowance, patience=patience)\n",
        CHOOSING,
    ),
    broken(
        "best of: the score has no noise",
        "learn/choosing.py",
        "    noise = allowance.take(SCORE_SHARE).make_noise(source.factor * errors.clip)\n",
        "    noise = allowance.take(SCORE_SHARE).make_noise(1)\n",
        CHOOSING,
    ),
    broken(
        "best of: every try gets all of the allowance",
        "learn/allowance.py",
        "        low, high = (middle, high) if fits else (low, middle)\n    return low\n",
        "        low, high = (middle, high) if fits else (low, middle)\n    return Fraction(1)\n",
        CHOOSING,
    ),
    broken(
        "best of: a unit's error is the sum of its rows'",
        "gradients/errors.py",
        "(np.add.reduceat(errors, begins[:-1]) // np.diff(begins)).sum()",
        "np.add.reduceat(errors, begins[:-1]).sum()",
        ERRORS,
    ),
    broken(
        "best of: all tries together may take long for one person",
        "learn/choosing.py",
        " * self.loss.tries // len(sources)",
        " // len(sources)",
        CHOOSING,
    ),
]

MUTATIONS = [*THEOREM, *DESK, *LEARNING]
