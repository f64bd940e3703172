"""The rules of noisy minima, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

DESK = "tests/curator/door/test_minima.py"
MINIMUM = "tests/gradients/test_minimum.py"
LOSS = "tests/privacy/test_objective.py"

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
]
