"""The rules of synthetic tables, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

GUARANTEES = "tests/synthetic/strategies/test_guarantees.py"
FROM_TABLE = "tests/synthetic/test_from_table.py"

MUTATIONS = [
    broken(
        "synthetic: half the noise for an epsilon",
        "synthetic/allowance.py",
        "Laplace(float_up(Fraction(l1) / self.amount))",
        "Laplace(float_up(Fraction(l1) / (2 * self.amount)))",
        GUARANTEES,
    ),
    broken(
        "synthetic: Gaussian noise for half of rho",
        "synthetic/allowance.py",
        "DiscreteGaussian(_root_up(Fraction(l2_squared) / (2 * self.amount)))",
        "DiscreteGaussian(_root_up(Fraction(l2_squared) / (4 * self.amount)))",
        GUARANTEES,
    ),
    broken(
        "synthetic: permute-and-flip for half of its epsilon",
        "synthetic/allowance.py",
        "PermuteAndFlip(float_up(Fraction(spread) / self.amount))",
        "PermuteAndFlip(float_up(Fraction(spread) / (2 * self.amount)))",
        GUARANTEES,
    ),
    broken(
        "synthetic: the exponential mechanism for half of its rho",
        "synthetic/allowance.py",
        "Exponential(_root_up(Fraction(spread) ** 2 / (8 * self.amount)))",
        "Exponential(_root_up(Fraction(spread) ** 2 / (16 * self.amount)))",
        GUARANTEES,
    ),
    broken(
        "synthetic: two scores move apart by what one moves",
        "synthetic/counter.py",
        "allowance.make_pick(score.bound_spread(self))",
        "allowance.make_pick(score.bound_spread(self) // 2)",
        GUARANTEES,
    ),
    broken(
        "synthetic: rows of a unit beyond the first cost nothing",
        "synthetic/counter.py",
        "allowance.make_noise(*bound_counts(self, family, group))",
        "allowance.make_noise(*(each // self.rows for each in bound_counts(self, family, group)))",
        GUARANTEES,
    ),
    broken(
        "synthetic: a purse never empties by what pays for a choice",
        "synthetic/strategies/aim.py",
        "purse.take(part * PICK_SHARE), purse.take(part * (1 - PICK_SHARE))",
        "Allowance(allowance.currency, part * PICK_SHARE), purse.take(part * (1 - PICK_SHARE))",
        GUARANTEES,
    ),
    broken(
        "synthetic: every round of MWEM spends the allowance of two",
        "synthetic/strategies/mwem.py",
        "allowance.take(Fraction(1, self.rounds))",
        "allowance.take(Fraction(2, self.rounds))",
        GUARANTEES,
    ),
    broken(
        "synthetic: pairs of MST are chosen for nothing",
        "synthetic/strategies/mst.py",
        "each = allowance.take(Fraction(1, len(domain.columns) - 1))",
        "each = allowance",
        GUARANTEES,
    ),
    broken(
        "synthetic: the total is measured beside the allowance",
        "synthetic/synthesis.py",
        "        allowance = allowance.take(1 - TOTAL_SHARE)\n",
        "",
        GUARANTEES,
    ),
    broken(
        "synthetic: the total is not declared",
        "synthetic/synthesis.py",
        "    total = cost_pure(allowance.amount * TOTAL_SHARE)\n",
        "    total = cost_pure(allowance.amount * TOTAL_SHARE / 2)\n",
        GUARANTEES,
    ),
    broken(
        "synthetic: a strategy that cannot run is found out after the charge",
        "synthetic/from_table.py",
        "    check_strategy(strategy, family, rounds)\n",
        "",
        FROM_TABLE,
    ),
    broken(
        "synthetic: a condition that is several columns is found out after the charge",
        "synthetic/from_table.py",
        "    if find_domain(plan) != family.domain:\n",
        "    if False:\n",
        FROM_TABLE,
    ),
    broken(
        "synthetic: tables for other questions are the same table",
        "synthetic/synthesis.py",
        '            "workload": self.workload.describe(),\n',
        "",
        FROM_TABLE,
    ),
    broken(
        "synthetic: a condition ends its column and names another table",
        "query/placed_columns.py",
        "CASE WHEN ({write_alone(self.sql)}) THEN",
        "CASE WHEN ({self.sql}) THEN",
        FROM_TABLE,
    ),
    broken(
        "synthetic: mst pays for pairs as if all columns were joined",
        "synthetic/strategies/mst.py",
        "        chosen = count_joins(self.domain)\n",
        "        chosen = columns - 1\n",
        GUARANTEES,
    ),
]
