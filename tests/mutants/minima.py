"""The rules of noisy minima, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

DESK = "tests/curator/door/test_minima.py"
MINIMUM = "tests/gradients/test_minimum.py"
LOSS = "tests/privacy/test_objective.py"
FACE = "tests/learn/test_perturbation.py"
TABLE = "tests/learn/test_minimum_from_table.py"

MUTATIONS = [
    broken(
        "minima: the solver's tolerance is left out of how far a minimum moves",
        "gradients/minimum.py",
        "    off = find_tolerance(objective) + more\n",
        "    off = Fraction(0) * find_tolerance(objective) + more\n",
        MINIMUM,
    ),
    broken(
        "minima: under replace a unit moves the gradient once, not twice",
        "curator/door/minima.py",
        "max(1 + EASE, Fraction(factor))",
        "(1 + EASE)",
        DESK,
    ),
    broken(
        "minima: the rounding of the first noise is left out",
        "curator/door/minima.py",
        "Fraction(rounded) / (GRADIENT_STEPS * Fraction(objective.ridge))",
        "0 * Fraction(rounded) / (GRADIENT_STEPS * Fraction(objective.ridge))",
        DESK,
    ),
    broken(
        "minima: the objective form has no noise on its output",
        "curator/door/minima.py",
        "    return list(noise.output.release(find_minimum(objective, rows, offsets, push)))",
        "    return list(find_minimum(objective, rows, offsets, push))",
        DESK,
    ),
    broken(
        "minima: the push is drawn but not used",
        "curator/door/minima.py",
        "find_minimum(objective, rows, offsets, push)))",
        "find_minimum(objective, rows, offsets, [0] * len(push))))",
        DESK,
    ),
    broken(
        "minima: what a push costs forgets curvature",
        "privacy/objective.py",
        "    return t**2 / 2 + a**2 * (_find_near()).max(far * 16 / 9)",
        "    return t**2 / 2",
        LOSS,
    ),
    broken(
        "minima: what a push costs forgets that the others weigh more when a unit leaves",
        "privacy/objective.py",
        "        return ((1 + ball(ease)) * unit.sqrt() + 4 * ball(ease) / units / arb(2).sqrt() * others) ** 2",
        "        return (unit.sqrt() + 4 * ball(ease) / units / arb(2).sqrt() * others) ** 2",
        LOSS,
    ),
    broken(
        "minima: what a push costs forgets how the others bend when a unit leaves",
        "privacy/objective.py",
        "        return ((1 + ball(ease)) * unit.sqrt() + 4 * ball(ease) / units / arb(2).sqrt() * others) ** 2",
        "        return ((1 + ball(ease)) * unit.sqrt()) ** 2 + 0 * others",
        LOSS,
    ),
    broken(
        "minima: an epsilon is spent on a pushed objective as on Gaussian noise",
        "learn/linear_learners.py",
        'read_concentrated_allowance if self.method == "objective" else read_gaussian_allowance',
        "read_gaussian_allowance",
        FACE,
    ),
    broken(
        "minima: a pushed objective says that its loss is Gaussian",
        "learn/allowance.py",
        "        return ZcdpLoss(self.rho)\n",
        "        return GaussianLoss(Fraction(self.mu))\n",
        FACE,
    ),
    broken(
        "minima: the noise that covers the solver is not paid for",
        "learn/perturbation.py",
        "    spent = allowance.take(1 - REST).rho\n    low =",
        "    spent = allowance.rho\n    low =",
        FACE,
    ),
    broken(
        "minima: noise in memory forgets the neighbours",
        "learn/perturbation.py",
        "bound_output(objective, source.factor)",
        "bound_output(objective, 1)",
        FACE,
    ),
    broken(
        "minima: a rehearsal does not meet the checks of the desk",
        "learn/rehearsal.py",
        "        check_minimum(self._plan, objective, noise)\n",
        "",
        FACE,
    ),
    broken(
        "minima: a rehearsal takes the solver for one step",
        "learn/rehearsal.py",
        "find_row_time(objective.gradients) * MOST_STEPS",
        "find_row_time(objective.gradients)",
        FACE,
    ),
    broken(
        "minima: both methods are one question to the ledger",
        "learn/linear_learners.py",
        '        return {"method": self.method}\n',
        "        return {}\n",
        TABLE,
    ),
]
