"""The rules of amplification by shuffling, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

LOSS = "tests/privacy/losses/test_shuffled.py"
PAIRS = "tests/privacy/accountant/test_shuffled_pairs.py"
BINOMIALS = "tests/privacy/accountant/test_binomials.py"

MUTATIONS = [
    broken(
        "shuffled reports have more clones than the randomiser makes",
        "privacy/losses/shuffled.py",
        'clones = 2 / (growth + 2) if self.bound == "2023"',
        'clones = 4 / (growth + 4) if self.bound == "2023"',
        LOSS,
    ),
    broken(
        "the bound of 2021 is that of 2023 for shuffled reports",
        "privacy/losses/shuffled.py",
        "else 1 / (growth + 1)",
        "else 2 / (growth + 2)",
        LOSS,
    ),
    broken(
        "a shuffled person's own report weighs like a clone's",
        "privacy/accountant/shuffled_pairs.py",
        "    return coins + growth * (coins + lead) / 2\n",
        "    return coins + growth * (coins + 0.9 * lead) / 2\n",
        PAIRS,
        LOSS,
    ),
    broken(
        "the tails that sums over shuffled reports leave out are forgotten",
        "privacy/accountant/shuffled_pairs.py",
        "[*masses, np.array([outside])]",
        "[*masses, np.array([0.0])]",
        LOSS,
    ),
    broken(
        "a binomial law bounds its tail by nothing",
        "privacy/accountant/binomials.py",
        "    return 1.001 * end * ratio / (1 - ratio)\n",
        "    return 0.0\n",
        BINOMIALS,
    ),
    broken(
        "a binomial law without Stirling's rest",
        "privacy/accountant/binomials.py",
        "np.exp(-deviance - _complete_stirling(counts) - _complete_stirling(trials - counts))",
        "np.exp(-deviance)",
        BINOMIALS,
    ),
    broken(
        "a block of shuffled reports counts as its largest number of clones",
        "privacy/accountant/shuffled_pairs.py",
        "        coins = block.least + 1\n",
        "        coins = block.least + 1 + int(2 * block.excess)\n",
        PAIRS,
    ),
    broken(
        "shuffled reports are moved to the mean of their points, not out",
        "privacy/accountant/shuffled_pairs.py",
        "        lead, tosses, lost = _spread_coins(coins)\n",
        "        lead, tosses, lost = *_merge_coins(coins), 0.0\n",
        PAIRS,
        LOSS,
    ),
    broken(
        "the lower bound throws no shuffled coins away",
        "privacy/accountant/shuffled_pairs.py",
        "        thrown = Fraction(block.excess)\n",
        "        thrown = Fraction(0)\n",
        PAIRS,
    ),
    broken(
        "a curve of atoms rounds its upper bound down",
        "privacy/accountant/atom_curve.py",
        "high * (1 + self._doubt)",
        "high * (1 - 1e-6)",
        "tests/privacy/accountant/test_atom_curve.py",
    ),
    broken(
        "a Poisson sample of shuffled reports is allowed",
        "privacy/losses/shuffled.py",
        "    for_replace = True\n",
        "    for_replace = False\n",
        LOSS,
    ),
]
