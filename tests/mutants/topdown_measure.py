"""The rules of what a census asks for, each broken once: scales, codes of areas, what is the same measurement."""

from __future__ import annotations

from mutants.mutant import broken

ASKED = "tests/topdown/measure/test_asked.py"
CODES = "tests/topdown/measure/test_area_codes.py"
MEASURED = "tests/topdown/measure/test_measurement.py"

MUTATIONS = [
    broken(
        "census: the factor of replace neighbours is forgotten in the noise",
        "topdown/measure/asked.py",
        "PARTITION.bound_l2_squared(unit.rows, unit.factor)",
        "PARTITION.bound_l2_squared(unit.rows, 1)",
        ASKED,
    ),
    broken(
        "census: sigma is rounded down",
        "topdown/measure/asked.py",
        "        sigma = rounded_up(lambda: (ball(l2_squared)",
        "        sigma = -rounded_up(lambda: -(ball(l2_squared)",
        ASKED,
    ),
    broken(
        "census: mu is rounded down",
        "topdown/measure/asked.py",
        "rounded_up(lambda: (2 * ball(rho)).sqrt())",
        "rounded_up(lambda: (2 * ball(rho)).sqrt() * (1 - 1e-6))",
        ASKED,
    ),
    broken(
        "census: texts of other letters are taken for names",
        "topdown/measure/area_codes.py",
        "return len(self.alphabet) + 1 + self.ends\n",
        "return len(self.alphabet) + self.ends\n",
        CODES,
    ),
    broken(
        "census: texts of other lengths are taken for names",
        "topdown/measure/area_codes.py",
        "CASE WHEN LENGTH({name}) BETWEEN {shortest} AND {longest} THEN {code} END",
        "CASE WHEN TRUE THEN {code} END",
        CODES,
    ),
    broken(
        "census: numbers beyond all areas count as the last one",
        "topdown/measure/area_codes.py",
        "low, high = min(self.numbers) - 1, max(self.numbers) + 1\n",
        "low, high = min(self.numbers), max(self.numbers)\n",
        CODES,
    ),
    broken(
        "census: values that are not declared count as the first",
        "topdown/measure/people.py",
        """return f"CASE {' '.join(parts)} END"\n""",
        """return f"CASE {' '.join(parts)} ELSE 0 END"\n""",
        MEASURED,
    ),
    broken(
        "census: other parents are the same measurement",
        "topdown/measure/measurement.py",
        '            "geography": hash_geography(self.geography),\n',
        "",
        MEASURED,
    ),
    broken(
        "census: other queries are the same measurement",
        "topdown/measure/measurement.py",
        "[each.level, describe_query(each.query), describe_mechanism(noise)]",
        "[each.level, describe_mechanism(noise)]",
        MEASURED,
    ),
    broken(
        "census: a budget without delta pays for Gaussian noise",
        "topdown/measure/measurement.py",
        "    if not session.budget.total.delta:\n",
        "    if False:\n",
        MEASURED,
    ),
    broken(
        "census: delta may be one in so many people",
        "topdown/measure/asked.py",
        "    if size is not None and Fraction(delta) * size > MOST_PUBLISHED:\n",
        "    if size is not None and Fraction(delta) * size > 1:\n",
        ASKED,
    ),
]
