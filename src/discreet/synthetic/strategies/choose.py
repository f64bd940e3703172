"""Strategy before adaptivity: which one is chosen, from public sizes and the noisy total alone, by expected error.

Each strategy's error is foreseen as the mean L1 distance of the workload's answers from the truth, by n, that its
noise alone would make:

- the whole table: an answer that adds up c of N cells has noise of the root of c cells. A marginal of a answers is off
  by sqrt(2/pi) sigma sqrt(N a) / n.
- each marginal of the workload counted, for 1/k of the allowance: a marginal of a answers is off by
  sqrt(2/pi) sigma a / n. Marginals tell of one another, so the model errs less than each by itself: 0.1 to 0.6 as much
  on the public tables of the benchmark.
- adaptive marginals: as if twice as many marginals were measured as there are columns. What a model of a few
  marginals leaves out is not known beforehand: twice the noise is taken, which is about what the two together came to
  on the public tables of the benchmark.

Where the questions are of another kind and few, each is counted: k counts with all of the allowance have less noise
than r with half of it, the other half spent on choosing, as long as k <= 2 r.

Only public numbers and the noisy total enter, so a choice tells nothing.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from discreet.base import check
from discreet.base.errors import ParameterError
from discreet.curator.door.cells import CountedUnit
from discreet.families.domain import CellTable
from discreet.families.family import Family
from discreet.families.marginals import Marginals
from discreet.families.parities import Parities
from discreet.families.ranges import Ranges
from discreet.privacy.charges import Charge
from discreet.synthetic.allowance import Allowance
from discreet.synthetic.counter import make_cell_noise
from discreet.synthetic.fit.dense import MOST_TABLE
from discreet.synthetic.fit.quotient import MOST_RANK
from discreet.synthetic.fitting import MOST_DENSE, fits_tree
from discreet.synthetic.reading import find_variance
from discreet.synthetic.strategies.aim import Aim
from discreet.synthetic.strategies.mst import Mst
from discreet.synthetic.strategies.mwem import USUAL_ROUNDS, Mwem
from discreet.synthetic.strategies.public import ROWS_IN_BLOCK, plan_each, plan_tree, plan_whole
from discreet.synthetic.strategies.strategy import Strategy

NAMES = ("whole", "each", "tree", "mwem", "mst", "aim")
"""What strategies are called by whoever wants one."""

MOST_CANDIDATES = 20_000
"""Marginals that are rated in every round of an adaptive strategy."""

MOST_ROUNDS = 10_000

MOST_EACH = 1000
"""Groups that are counted one by one, by a plan that counts each."""

CROWDED = 4.0
"""Where all cells' noise together is so many times the rows, most cells are noise alone. Cut at 0 it adds up, and the
whole table errs about twice as much as its noise says."""

SHORT = 50
"""Cells of ranges up to which all are counted."""

SHARED = 0.4
"""How much a model of all marginals errs, by what the noise of each by itself does."""

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
        if workload.groups <= 2 * USUAL_ROUNDS and can_count_each(workload):
            return ChosenStrategy("each", f"counting {workload.groups} questions costs less than choosing among them")
        return ChosenStrategy("mwem", "its questions share no table of cells")
    if len(workload.sets) > MOST_CANDIDATES:
        return ChosenStrategy("mst", f"{len(workload.sets):,} marginals are too many to rate in rounds")
    foreseen: dict[str, tuple[float, str]] = {}
    if domain.cells <= MOST_TABLE:
        foreseen["whole"] = foresee_whole(workload, unit, rows, allowance), "with all cells counted"
    if can_count_each(workload):
        each = foresee_each(workload, unit, rows, allowance)
        foreseen["each"] = each, f"with each of {workload.groups} marginals counted"
    foreseen["aim"] = foresee_adaptive(workload, unit, rows, allowance), "where a few marginals are chosen"
    least, *others = sorted(foreseen, key=lambda name: foreseen[name][0])
    if not others:
        return ChosenStrategy("aim", f"{domain.cells:,} cells are too many for one table")
    told = [f"{foreseen[name][0]:.2g} {foreseen[name][1]}" for name in (least, *others)]
    return ChosenStrategy(least, f"noise moves of a marginal's rows {', '.join(told)}")


def make_strategy(
    name: str,
    workload: Family,
    unit: CountedUnit,
    rows: float,
    allowance: Allowance,
    rounds: int = 0,
    prior: CellTable | None = None,
) -> Strategy:
    """Return the strategy of a name, for about so many rows."""
    if name == "tree" and isinstance(workload, Ranges):
        return plan_tree(workload, rows, find_sigma(unit, allowance))
    return replace(_make_fixed(name, workload, rounds), prior=prior)


def foresee_whole(workload: Marginals, unit: CountedUnit, rows: float, allowance: Allowance) -> float:
    """Return the mean L1 error of a marginal, by n, where every cell is counted."""
    sigma, cells = find_sigma(unit, allowance), workload.domain.cells
    bias = LEFT_OUT if sigma * cells > CROWDED * rows else 1.0
    roots = [math.sqrt(workload.count_answers(group) * cells) for group in range(workload.groups)]
    return bias * math.sqrt(2 / math.pi) * sigma * sum(roots) / len(roots) / max(rows, 1.0)


def foresee_each(workload: Marginals, unit: CountedUnit, rows: float, allowance: Allowance) -> float:
    """Return the mean L1 error of a marginal, by n, where all of the workload are counted."""
    shared = SHARED if workload.groups > 1 else 1.0
    return shared * _foresee_counts(workload, unit, rows, allowance.take(Fraction(1, workload.groups)))


def can_count_each(workload: Family) -> bool:
    """Say whether a model of all groups stays small."""
    if workload.groups > MOST_EACH:
        return False
    return fits_tree(workload.domain, [workload.find_columns(group) for group in range(workload.groups)], 1.0)


def foresee_adaptive(workload: Marginals, unit: CountedUnit, rows: float, allowance: Allowance) -> float:
    """Return the mean L1 error of a marginal, by n, where some are chosen and counted."""
    each = allowance.take(Fraction(1, 2 * len(workload.domain.sizes)))
    return LEFT_OUT * _foresee_counts(workload, unit, rows, each)


def _foresee_counts(workload: Marginals, unit: CountedUnit, rows: float, each: Allowance) -> float:
    """Return the mean L1 error of a marginal, by n, that was counted with this allowance."""
    answers = [workload.count_answers(group) for group in range(workload.groups)]
    return math.sqrt(2 / math.pi) * find_sigma(unit, each) * sum(answers) / len(answers) / max(rows, 1.0)


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
    if wanted == "each" and not can_count_each(workload):
        allowed = f"another: {workload.groups:,} groups of questions are too many, or their columns, for one model"
        raise ParameterError("strategy", wanted, allowed)
    if (wanted == "aim" and not isinstance(workload, Marginals)) or (wanted == "tree") > isinstance(workload, Ranges):
        raise ParameterError("strategy", wanted, "whole, each, mwem or mst here: aim is for marginals, tree for ranges")
    if isinstance(workload, Ranges) and domain.cells > MOST_TABLE:
        raise ParameterError("bins", domain.sizes, f"fewer: ranges are of at most {MOST_TABLE:,} cells")
    if isinstance(workload, Ranges) and len(workload.columns) < len(domain.sizes):
        raise ParameterError("columns", len(domain.sizes), "those of the ranges, and no others")
    if isinstance(workload, Parities) and domain.cells > MOST_DENSE and rounds > MOST_RANK:
        raise ParameterError("rounds", rounds, f"at most {MOST_RANK} for parities of so many columns")


def _make_fixed(wanted: str, workload: Family, rounds: int) -> Strategy:
    if wanted == "whole":
        return plan_whole(workload)
    if wanted == "each":
        return plan_each(workload)
    if wanted == "mst":
        return Mst(workload.domain)
    if wanted == "aim" and isinstance(workload, Marginals):
        return Aim(workload, rounds or None)
    return Mwem(workload, rounds or USUAL_ROUNDS)
