"""What online multiplicative weights promise, and the public numbers that keep the promise.

The algorithm (Hardt, Rothblum 2010): a public hypothesis w, a distribution on the cells of a domain. Of each question a
watch (`curator/door/watching.py`) says whether the hypothesis is far from the truth. If not, the hypothesis answers. If
it is, the question is measured with noise, that answers, and the weights of the cells that it counts are multiplied by
e^step or e^-step, towards the measurement.

Rows that are not there. Under add-remove neighbours nobody may know the number of rows n, so the hypothesis has one
more cell, "absent", for R - n rows, where R is a public number: the truth is the distribution p with t(x) / R on the
cells and (R - n) / R on the absent one. No question counts it. It starts with half of the weight, and the cells X share
the other half; so KL(p || w) starts at ln(2 |X|) or less.

Theorem. Let questions have values in an interval of length s (1 for counts; 2 for parities, from -1 to 1) and let
n <= R. Let T be the threshold and M, B whole numbers such that, with probability 1 - beta in all,

- every pair of a threshold's noise and a question's is M or less in sum of magnitudes, for k questions, and
- the noise of every measurement is B or less, with B < T - M.

Then with that probability each of the first k answers is within A = T + M of the truth, and there are at most
ln(2 |X|) s^2 R^2 / (2 g^2) updates, where g = T - M - 1/2, if the step is 4 g / (R s^2).

Proof. A "no" means gap < T + M, since the noisy gap was below the noisy threshold; and the answer is the rounded
estimate whose gap was tested. A "yes" means gap >= T - M > B, so the measurement lies on the same side of the estimate
as the truth does, and it is within B < A of it. The estimate is R w.q rounded, so |R p.q - R w.q| >= g. Let r = q or -q
be the direction of the update: r.(p - w) >= g / R. An update lowers KL(p || w) by step r.p - ln E_w[e^(step r)], and by
Hoeffding's lemma that logarithm is at most step r.w + step^2 s^2 / 8. So KL falls by at least
step g / R - step^2 s^2 / 8 = 2 g^2 / (s R)^2, and it never falls below 0.

None of the numbers depends on data: R, k, alpha and beta are given, all else follows from them and the domain. With
fewer `updates` than the theorem's, answers keep their promise while they last, and the process may end before k.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction

from discreet.base import check
from discreet.base.canonical import Json
from discreet.base.errors import ParameterError
from discreet.mechanisms.laplace import Laplace
from discreet.mechanisms.sparse_vector import SparseVector
from discreet.privacy.charges import Charge
from discreet.query.cost import add_charges, cost_counts, cost_watch


@dataclass(frozen=True, slots=True)
class WeightsDesign:
    """The public numbers of one run: for whom the promise holds, its thresholds, its step and its noises."""

    cells: int
    rows: int
    questions: int
    beta: float
    signed: bool
    reach: int
    error: int
    """A: how far an answer may be from the truth, in rows."""
    threshold: int
    updates: int
    step: float
    watch: SparseVector
    """Says yes once; a new one, with a new threshold, is paid for after each yes."""
    noise: Laplace

    @property
    def charge(self) -> Charge:
        """What the whole run costs: so many watches, and as many measurements."""
        each = add_charges(cost_watch(self.reach, self.watch), cost_counts(self.reach, self.reach**2, self.noise))
        return Charge(*(self.updates * Fraction(part) for part in (each.epsilon, each.rho, each.delta)))

    def describe(self) -> Json:
        """Return the form of the design."""
        return {
            "rows": self.rows,
            "questions": self.questions,
            "beta": repr(self.beta),
            "signed": self.signed,
            "reach": self.reach,
            "threshold": self.threshold,
            "updates": self.updates,
            "step": repr(self.step),
            "scales": [
                repr(each) for each in (self.watch.threshold_scale, self.watch.question_scale, self.noise.scale)
            ],
        }


def design_weights(
    cells: int,
    rows: int,
    questions: int,
    alpha: float,
    beta: float,
    *,
    reach: int = 1,
    signed: bool = False,
    updates: int | None = None,
) -> WeightsDesign:
    """Return the numbers with which `questions` answers are within alpha * rows of the truth, but for probability beta.

    `rows` is a public bound of the table's rows; where there are more, privacy holds and the promise does not. `reach`
    is how far one unit moves a question. `updates` is how often the hypothesis may change, if not as the theorem says.

    The margin M is a quarter of the error A: the cost in zCDP grows with updates / M^2, so with
    1 / ((A - 2 M)^2 M^2), which is least there. It is split between the noises such that the watch costs least.
    """
    check.integer("cells", cells, least=1)
    check.integer("rows", rows, least=1, most=2**53)
    check.integer("questions", questions, least=1)
    check.real("alpha", alpha, above=0, below=1)
    check.real("beta", beta, above=0, below=1)
    check.integer("reach", reach, least=1)
    error = math.floor(Fraction(alpha) * rows)
    margin = error // 4
    if margin < 8:
        raise ParameterError("alpha", alpha, f"at least {32 / rows:.3g}: an error of 32 of {rows:,} rows")
    threshold, spread = error - margin, 2 if signed else 1
    gap = threshold - margin - Fraction(1, 2)
    if updates is None:
        most = math.log(2 * cells) * spread**2 * rows**2 / (2 * float(gap) ** 2)
        updates = math.floor(most * (1 + 1e-9)) + 1
    check.integer("updates", updates, least=1)
    miss = beta / 3
    far, near = math.log(questions / miss), math.log(updates / miss)
    kept = round(margin * math.sqrt(near) / (math.sqrt(near) + math.sqrt(2 * far)))
    watch = SparseVector(_find_scale(kept, miss, updates), _find_scale(margin - kept, miss, questions))
    noise = Laplace(_find_scale(threshold - margin - 1, miss, updates))
    step = float(4 * gap / (rows * spread**2))
    return WeightsDesign(cells, rows, questions, beta, signed, reach, error, threshold, updates, step, watch, noise)


def _find_scale(width: int, miss: float, draws: int) -> float:
    """Return a scale of noise of which so many draws all stay within a width, but for this probability."""
    scale = width / math.log(draws / miss)
    while scale > 1e-3:
        if Laplace(scale).interval(1 - miss, draws) <= width:
            return scale
        scale *= 0.999
    raise ParameterError("alpha", width, "larger: so little noise would be no noise")
