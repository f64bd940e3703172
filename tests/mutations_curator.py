"""Ways to break the curator; the tests must notice every one."""

from __future__ import annotations

from mutations import broken

MUTATIONS = [
    broken(
        "nothing is added to sums",
        "curator/release.py",
        "sums.append(tuple(int(value) for value in noise.release(list(exact.sums[place]))))",
        "sums.append(tuple(exact.sums[place]))",
        "tests/curator/test_values.py",
    ),
    broken(
        "nothing is added to ranks",
        "curator/ranks.py",
        "noisy = noise.release([count(level, child) for child in children])",
        "noisy = [count(level, child) for child in children]",
        "tests/curator/test_replay.py",
        "tests/curator/test_ranks.py",
    ),
    broken(
        "a new version of the data finds old answers",
        "curator/curator.py",
        "asked = Asked(repr((plan, priced.noises, shares)), version, text)",
        'asked = Asked(repr((plan, priced.noises, shares)), "", text)',
        "tests/curator/test_curator.py",
    ),
    broken(
        "questions at different prices are one question",
        "curator/curator.py",
        "asked = Asked(repr((plan, priced.noises, shares)), version, text)",
        "asked = Asked(repr((plan.scan, shares)), version, text)",
        "tests/curator",
    ),
    broken(
        "a failure after the charge tells what happened",
        "curator/curator.py",
        "            except Exception:\n                raise FailedError(GENERIC) from None",
        "            except Exception as trouble:\n                raise FailedError(str(trouble)) from None",
        "tests/curator/test_curator.py",
    ),
    broken(
        "an answer that could not be recorded is shown",
        "curator/curator.py",
        "                return released, self._ledger.record(claim, released.to_bytes())\n",
        "                return released, Receipt(self._ledger.head, self.analyst, priced.charge, claim.paid)\n",
        "tests/curator/test_curator.py",
    ),
    broken(
        "somebody may ask without a name",
        "curator/curator.py",
        "asker = None if operator and analyst is None else policy.analyst(analyst)",
        "asker = None if analyst is None else policy.analyst(analyst)",
        "tests/curator/test_curator.py",
    ),
    broken(
        "opening creates a missing ledger",
        "curator/curator.py",
        "            ledger = Ledger.open(ledger_path(policy), facts(policy))",
        "            there = ledger_path(policy)\n"
        "            ledger = (Ledger.open if there.exists() else Ledger.create)(there, facts(policy))",
        "tests/curator/test_curator.py",
    ),
    broken(
        "the noise of a count is left out of a mean's interval",
        "curator/ratio.py",
        "reach, at = abs(factor) * edges[1:-1], distance - 1",
        "reach, at = 0 * edges[1:-1], distance - 1",
        "tests/curator/test_ratio.py",
    ),
    broken(
        "boundaries are bounded one by one",
        "curator/ranks.py",
        "reach = _reaches(noise, miss / shared)",
        "reach = _reaches(noise, 0.99)",
        "tests/curator/test_values.py",
        "tests/curator/test_ranks.py",
    ),
    broken(
        "simultaneous intervals are single ones",
        "curator/answering.py",
        "miss = (1 - confidence) / (cells if simultaneous else 1)",
        "miss = 1 - confidence",
        "tests/curator/test_values.py",
        "tests/curator/test_fluent.py",
    ),
    broken(
        "bounds are found with noise for one row",
        "curator/bounds.py",
        "scale = ratio_up(plan.factor * plan.limits.l1(), epsilon)",
        "scale = ratio_up(1, epsilon)",
        "tests/curator/test_bounds.py",
    ),
    broken(
        "within rounds epsilon down",
        "curator/within.py",
        "Context(prec=3, rounding=ROUND_CEILING)",
        'Context(prec=1, rounding="ROUND_FLOOR")',
        "tests/curator/test_within.py",
    ),
    broken(
        "a budget without delta is also charged by rho",
        "privacy/budget.py",
        "        if self.delta > 0:\n",
        "        if self.delta >= 0:\n",
        "tests/privacy/test_budget.py",
    ),
    broken(
        "ranks pay for one level of their tree",
        "plan/bounded.py",
        "return tree_levels(self.grid) if self.part is Part.RANKS and self.grid is not None else 1",
        "return 1",
        "tests/plan",
        "tests/query",
        "tests/engines",
        "tests/curator/test_replay.py",
    ),
]
