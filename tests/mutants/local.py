"""The rules of the local model, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

LAW = "tests/local/client/test_guarantees.py"
CLIENT = "local/client"

MUTATIONS = [
    broken(
        "a response tells the truth oftener than its epsilon says",
        f"{CLIENT}/direct.py",
        "coins.toss(self.truth)",
        "coins.toss(self.truth + (1 << 60))",
        LAW,
    ),
    broken(
        "a response may lie with the truth",
        f"{CLIENT}/direct.py",
        "1 + coins.choose(self.size - 1)",
        "coins.choose(self.size)",
        LAW,
    ),
    broken(
        "a unary encoding never sets another bit",
        f"{CLIENT}/unary.py",
        "        bits = coins.toss_each(self.flip, self.size)",
        "        bits = [False] * self.size",
        LAW,
    ),
    broken(
        "a unary encoding always sets its own bit",
        f"{CLIENT}/unary.py",
        "coins.toss(self.keep)",
        "True",
        LAW,
    ),
    broken(
        "a hash function depends on the item",
        f"{CLIENT}/hashing.py",
        "seed = coins.choose(self.pool)",
        "seed = (coins.choose(self.pool) + value) % max(1, self.pool - 1)",
        LAW,
    ),
    broken(
        "a row of the Hadamard matrix tells the bit as it is",
        f"{CLIENT}/hadamard.py",
        "bit if coins.toss(self.truth) else 1 - bit",
        "bit",
        LAW,
    ),
    broken(
        "a subset always holds the item",
        f"{CLIENT}/subset.py",
        "held = coins.toss(self.truth)",
        "held = True",
        LAW,
    ),
    broken(
        "points that are not the item's own are not told",
        f"{CLIENT}/projective.py",
        "coins.toss(self.truth)",
        "True",
        LAW,
    ),
    broken(
        "the epsilon of a unary encoding forgets one of two bits",
        f"{CLIENT}/unary.py",
        "self.supported * (1 - self.strayed) / (self.strayed * (1 - self.supported))",
        "self.supported / self.strayed",
        LAW,
    ),
    broken(
        "the epsilon of a subset counts sets wrongly",
        f"{CLIENT}/subset.py",
        "self.supported * (self.size - self.chosen) / ((1 - self.supported) * self.chosen)",
        "self.supported / (1 - self.supported)",
        LAW,
    ),
    broken(
        "logarithms are rounded down",
        f"{CLIENT}/coins.py",
        "math.log(ratio) + 2.0**-50 * (1 + abs(math.log(ratio))), math.inf",
        "math.log(ratio) - 2.0**-50 * (1 + abs(math.log(ratio))), math.inf",
        "tests/local/client/test_coins.py",
    ),
    broken(
        "choices favour the first",
        f"{CLIENT}/coins.py",
        "            if word < limit:\n                return word % count",
        "            return word % count",
        "tests/local/client/test_coins.py",
    ),
    broken(
        "a forked child tosses its parent's coins",
        f"{CLIENT}/coins.py",
        "owner != here or not held",
        "not held",
        "tests/local/client/test_coins.py",
    ),
    broken(
        "a metric starts without a cap for a lifetime",
        f"{CLIENT}/metric.py",
        '(name == "lifetime" or cap is not None) and not _is_cap(cap)',
        "cap is not None and not _is_cap(cap)",
        "tests/local/client/test_metric.py",
    ),
    broken(
        "values that were not listed raise",
        f"{CLIENT}/domain.py",
        "self._places.get(value, len(self.values)) if isinstance(value, str) else len(self.values)",
        "self._places[value]",
        "tests/local/client/test_metric.py",
    ),
    broken(
        "unsound reports are counted",
        "local/oracles/subset.py",
        "good = find_padded(batch.payloads, self.mechanism.size) & (chosen == self.mechanism.chosen)",
        "good = find_padded(batch.payloads, self.mechanism.size)",
        "tests/local/oracles/test_oracles.py",
    ),
    broken(
        "a pool's collisions are left out of errors",
        "local/oracles/hashing.py",
        "squares / (self.mechanism.pool * (self.mechanism.buckets - 1)) if self.pooled else 0.0",
        "0.0",
        "tests/local/test_estimates.py",
    ),
    broken(
        "a lifetime counts distinct values, not when they changed",
        f"{CLIENT}/memoised.py",
        "return min(reports * step, grouped) * (1 + 2.0**-45)",
        "return min(reports * step, grouped, self.buckets * self.constant) * (1 + 2.0**-45)",
        "tests/local/client/test_memoised.py",
    ),
    broken(
        "permanent noise of other bits depends on the item",
        f"{CLIENT}/memoised.py",
        'KeyedCoins(secret, b"other").toss_each',
        'KeyedCoins(secret, b"other" + bytes([value])).toss_each',
        "tests/local/client/test_memoised.py",
    ),
    broken(
        "permanent noise is drawn anew in every report",
        f"{CLIENT}/memoised.py",
        'KeyedCoins(secret, b"bucket" + bucket.to_bytes(8, "big")))',
        "coins)",
        "tests/local/client/test_memoised.py",
    ),
    broken(
        "intervals without a change send a fixed bit",
        f"{CLIENT}/changing.py",
        "if self.seen else even",
        "if self.seen else not direction",
        "tests/local/test_changing.py",
    ),
    broken(
        "all changes are told, not one of them",
        f"{CLIENT}/changing.py",
        "self.seen or self.changed == self.watched",
        "True",
        "tests/local/test_changing.py",
    ),
]
