"""Strategy before adaptivity: which one is chosen, from public sizes and the noisy total alone, by expected error.

Each strategy's error is foreseen as the mean L1 distance of the workload's answers from the truth, by n, that its
noise alone would make:

- the whole table: an answer that adds up c of N cells has noise of the root of c cells. A marginal of a answers is off
  by sqrt(2/pi) sigma sqrt(N a) / n.
- adaptive marginals: as if twice as many marginals were measured as there are columns; a marginal of a answers is off
  by sqrt(2/pi) sigma a / n. What a model of a few marginals leaves out is not known beforehand: twice the noise is
  taken, which is about what the two together came to on the public tables of the benchmark.

Only public numbers and the noisy total enter, so a choice tells nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.curator.door.cells import CountedUnit
from discreet.families.family import Family
from discreet.families.marginals import Marginals
from discreet.families.parities import Parities
from discreet.families.ranges import Ranges
from discreet.privacy.charges import Charge
from discreet.synthetic.allowance import Allowance
from discreet.synthetic.counter import make_cell_noise
from discreet.synthetic.fit.dense import MOST_TABLE
from discreet.synthetic.fit.quotient import MOST_RANK
from discreet.synthetic.fitting import MOST_DENSE
from discreet.synthetic.reading import find_variance
from discreet.synthetic.strategies.aim import Aim
from discreet.synthetic.strategies.mst import Mst
from discreet.synthetic.strategies.mwem import USUAL_ROUNDS, Mwem
from discreet.synthetic.strategies.public import ROWS_IN_BLOCK, plan_tree, plan_whole
from discreet.synthetic.strategies.strategy import Strategy

NAMES = ("whole", "tree", "mwem", "mst", "aim")
"""What strategies are called by whoever wants one."""

MOST_CANDIDATES = 20_000
"""Marginals that are rated in every round of an adaptive strategy."""

MOST_ROUNDS = 10_000

CROWDED = 4.0
"""Where all cells' noise together is so many times the rows, most cells are noise alone. Cut at 0 it adds up, and the
whole table errs about twice as much as its noise says."""

SHORT = 50
"""Cells of ranges up to which all are counted."""

LEFT_OUT = 2.0
"""How much an adaptive model errs in all, by what its noise alone does."""


@dataclass(frozen=True, slots=True)
class ChosenStrategy:
    """The name of a strategy, and why it was chosen."""

    name: str
    reason: str


def choose_strategy(workload: Family, unit: CountedUnit, rows: float, allowance: Allowance) -> ChosenStrategy:
    """Return the strategy with the least foreseen error for about so many rows."""
    domain = workload.domain
    if isinstance(workload, Ranges):
        return _choose_for_ranges(workload, unit, rows, allowance)
    if not isinstance(workload, Marginals):
        return ChosenStrategy("mwem", "its questions share no table of cells")
    if len(workload.sets) > MOST_CANDIDATES:
        return ChosenStrategy("mst", f"{len(workload.sets):,} marginals are too many to rate in rounds")
    if domain.cells > MOST_TABLE:
        return ChosenStrategy("aim", f"{domain.cells:,} cells are too many for one table")
    whole = foresee_whole(workload, unit, rows, allowance)
    adaptive = foresee_adaptive(workload, unit, rows, allowance)
    noise = f"noise moves {whole:.2g} of a marginal's rows with all cells counted"
    return ChosenStrategy(
        "whole" if whole <= adaptive else "aim", f"{noise}, and {adaptive:.2g} where a few marginals are"
    )


def make_strategy(
    name: str, workload: Family, unit: CountedUnit, rows: float, allowance: Allowance, rounds: int = 0
) -> Strategy:
    """Return the strategy of a name, for about so many rows."""
    if name == "tree" and isinstance(workload, Ranges):
        return plan_tree(workload, rows, find_sigma(unit, allowance))
    return _make_fixed(name, workload, rounds)


def foresee_whole(workload: Marginals, unit: CountedUnit, rows: float, allowance: Allowance) -> float:
    """Return the mean L1 error of a marginal, by n, where every cell is counted."""
    sigma, cells = find_sigma(unit, allowance), workload.domain.cells
    bias = LEFT_OUT if sigma * cells > CROWDED * rows else 1.0
    roots = [math.sqrt(workload.count_answers(group) * cells) for group in range(workload.groups)]
    return bias * math.sqrt(2 / math.pi) * sigma * sum(roots) / len(roots) / max(rows, 1.0)


def foresee_adaptive(workload: Marginals, unit: CountedUnit, rows: float, allowance: Allowance) -> float:
    """Return the mean L1 error of a marginal, by n, where some are chosen and counted."""
    each = allowance.take(Fraction(1, 2 * len(workload.domain.sizes)))
    answers = [workload.count_answers(group) for group in range(workload.groups)]
    noise = math.sqrt(2 / math.pi) * find_sigma(unit, each) * sum(answers) / len(answers)
    return LEFT_OUT * noise / max(rows, 1.0)


def find_sigma(unit: CountedUnit, allowance: Allowance) -> float:
    """Return the standard deviation of the noise of a marginal's cell."""
    return math.sqrt(find_variance(make_cell_noise(unit, allowance)))


def _choose_for_ranges(workload: Ranges, unit: CountedUnit, rows: float, allowance: Allowance) -> ChosenStrategy:
    """Return a tree or a grid, but for short columns, and where blocks would be single cells.

    Counting all cells, a range of a third of them has a third of their noise; of 2 levels of a tree a dozen nodes, with
    4 times the variance each. So a tree is for more than some 50 cells.
    """
    sigma, cells = find_sigma(unit, allowance), workload.domain.cells
    noise = f"noise of {sigma:.3g} on each of {cells:,} cells"
    if cells <= SHORT or (len(workload.columns) == 2 and sigma * ROWS_IN_BLOCK * cells <= rows):
        return ChosenStrategy("whole", f"{noise} is small")
    return ChosenStrategy("tree", f"{noise} would add up in long ranges")


def bound_charge(wanted: str, workload: Family, allowance: Allowance, rounds: int) -> Charge:
    """Return what a strategy costs at most for an allowance: the shares of a grid do not depend on its blocks."""
    if wanted == "tree" and isinstance(workload, Ranges):
        return plan_tree(workload, 1.0, 1.0).bound_charge(allowance)
    return _make_fixed(wanted, workload, rounds).bound_charge(allowance)


def check_strategy(wanted: str | None, workload: Family, rounds: int) -> None:
    """Refuse what could not run, before anything is charged."""
    check.integer("rounds", rounds, least=0, most=MOST_ROUNDS)
    domain = workload.domain
    if wanted is not None and wanted not in NAMES:
        raise ParameterError("strategy", wanted, f"one of {', '.join(NAMES)}")
    if wanted == "whole" and domain.cells > MOST_TABLE:
        allowed = f"aim, mst or mwem: {domain.cells:,} cells are more than the {MOST_TABLE:,} of one table"
        raise ParameterError("strategy", wanted, allowed)
    if (wanted == "aim" and not isinstance(workload, Marginals)) or (wanted == "tree") > isinstance(workload, Ranges):
        raise ParameterError("strategy", wanted, "whole, mwem or mst here: aim is for marginals, tree for ranges")
    if isinstance(workload, Ranges) and domain.cells > MOST_TABLE:
        raise ParameterError("bins", domain.sizes, f"fewer: ranges are of at most {MOST_TABLE:,} cells")
    if isinstance(workload, Ranges) and len(workload.columns) < len(domain.sizes):
        raise ParameterError("columns", len(domain.sizes), "those of the ranges, and no others")
    if isinstance(workload, Parities) and domain.cells > MOST_DENSE and rounds > MOST_RANK:
        raise ParameterError("rounds", rounds, f"at most {MOST_RANK} for parities of so many columns")


def _make_fixed(wanted: str, workload: Family, rounds: int) -> Strategy:
    if wanted == "whole":
        return plan_whole(workload)
    if wanted == "mst":
        return Mst(workload.domain)
    if wanted == "aim" and isinstance(workload, Marginals):
        return Aim(workload, rounds or None)
    return Mwem(workload, rounds or USUAL_ROUNDS)
