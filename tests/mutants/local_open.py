"""The rules of sketches, words, numbers and records in the local model, each broken once."""

from __future__ import annotations

from mutants.mutant import Mutant, broken

LAW = "tests/local/client/test_open_guarantees.py"
ORACLES, TEXTS = "tests/local/oracles/test_open_oracles.py", "tests/local/test_sketches.py"
RECORDS, HEAVY = "tests/local/test_attributes.py", "tests/local/test_heavy.py"
CLIENT = "local/client"

MUTATIONS: list[Mutant] = [
    broken(
        "local: a count-mean sketch claims the epsilon of one bit",
        f"{CLIENT}/sketch.py",
        "return self.response.epsilon",
        "return self.response.epsilon / 2",
        LAW,
    ),
    broken(
        "local: a count-mean sketch draws its function by the text",
        f"{CLIENT}/sketch.py",
        "        function = coins.choose(self.functions)\n",
        "        function = coins.choose(max(1, self.functions - len(value) % 2))\n",
        LAW,
    ),
    broken(
        "local: a Hadamard sketch tells its bit as it is",
        f"{CLIENT}/sketch.py",
        "bit if coins.toss(self.truth) else 1 - bit",
        "bit",
        LAW,
    ),
    broken(
        "local: a Hadamard sketch draws its row by the text",
        f"{CLIENT}/sketch.py",
        "coins.choose(self.buckets)",
        "coins.choose(max(1, self.buckets - len(value) % 2))",
        LAW,
    ),
    broken(
        "local: the two halves of a puzzle cost as much as one",
        f"{CLIENT}/puzzle.py",
        "self.fragment.epsilon + self.whole.epsilon",
        "max(self.fragment.epsilon, self.whole.epsilon)",
        LAW,
    ),
    broken(
        "local: a puzzle's whole word gets all of epsilon beside the fragment's part",
        f"{CLIENT}/puzzle.py",
        "HadamardSketch.calibrate(total - part,",
        "HadamardSketch.calibrate(total,",
        LAW,
    ),
    broken(
        "local: a puzzle's position depends on the word",
        f"{CLIENT}/puzzle.py",
        "position = coins.choose(self.positions)",
        "position = coins.choose(self.positions) if value else 0",
        LAW,
    ),
    broken(
        "local: a prefix's group depends on the word",
        f"{CLIENT}/prefix.py",
        "group = coins.choose(len(self.lengths))",
        "group = coins.choose(len(self.lengths)) if value else 0",
        LAW,
    ),
    broken(
        "local: one bit of a number is told as it is",
        f"{CLIENT}/numbers.py",
        "return end if coins.toss(self.truth) else 1 - end",
        "return end",
        LAW,
    ),
    broken(
        "local: one bit of a number is true oftener than its epsilon says",
        f"{CLIENT}/numbers.py",
        "coins.toss(self.truth)",
        "coins.toss(self.truth + (1 << 57))",
        LAW,
    ),
    broken(
        "local: a number is always rounded down",
        f"{CLIENT}/numbers.py",
        "int(whole) + coins.toss_exactly(rest)",
        "int(whole)",
        LAW,
    ),
    broken(
        "local: a cell outside of the window may lie inside",
        f"{CLIENT}/piecewise.py",
        "without + (self.width if without >= start else 0)",
        "without",
        LAW,
    ),
    broken(
        "local: a cell lies in the window oftener than its epsilon says",
        f"{CLIENT}/piecewise.py",
        "coins.toss(self.truth)",
        "coins.toss(self.truth + (1 << 57))",
        LAW,
    ),
    broken(
        "local: a piecewise epsilon is that of the shares alone",
        f"{CLIENT}/piecewise.py",
        "Fraction(self.truth * self.starts, (ONE - self.truth) * self.width)",
        "max(Fraction(self.truth, ONE - self.truth), Fraction(1))",
        LAW,
    ),
    broken(
        "local: a hybrid's coin looks at the number",
        f"{CLIENT}/piecewise.py",
        "coins.toss(self.share)",
        "coins.toss(self.share if value > 0 else 0)",
        LAW,
    ),
    broken(
        "local: a hybrid costs as much as the cheaper of its two",
        f"{CLIENT}/piecewise.py",
        "max(self.wide.epsilon, self.narrow.epsilon)",
        "min(self.wide.epsilon, self.narrow.epsilon)",
        LAW,
    ),
    broken(
        "local: which attribute is told depends on the record",
        f"{CLIENT}/sampled.py",
        "place = coins.choose(len(self.parts))",
        "place = coins.choose(len(self.parts)) if value[1] else 0",
        LAW,
    ),
    broken(
        "local: a sampled record costs as much as its cheapest attribute",
        f"{CLIENT}/sampled.py",
        "max(each.epsilon for each in self.parts)",
        "min(each.epsilon for each in self.parts)",
        LAW,
    ),
    broken(
        "local: an exact coin stops at 64 digits",
        f"{CLIENT}/coins.py",
        "            if word != whole:\n                return word < whole\n",
        "            return word < whole\n",
        "tests/local/client/test_coins.py",
    ),
    broken(
        "local: a puzzle counts a report with one sound half",
        "local/oracles/puzzle.py",
        "        if (sound != good).any():\n            counts, sound = self._count(batch, sound)\n",
        "",
        ORACLES,
    ),
    broken(
        "local: a sampled report may be filled up with anything",
        "local/oracles/sampled.py",
        "(chosen == place) & ~batch.payloads[:, width:].any(axis=1)",
        "chosen == place",
        ORACLES,
    ),
    broken(
        "local: errors of texts leave collisions out",
        "local/sketches.py",
        "np.maximum(others, 0.0) / (",
        "0 * np.maximum(others, 0.0) / (",
        f"{TEXTS}::test_intervals_hold_as_often_as_they_say_collisions_included",
    ),
    broken(
        "local: words that a puzzle finds need no interval above 0",
        "local/sketches.py",
        " if found.all_low[place] > 0",
        "",
        f"{TEXTS}::test_a_puzzle_of_rare_words_finds_none_and_one_of_nobody_is_refused",
        f"{TEXTS}::test_a_puzzle_finds_frequent_words_that_nobody_listed",
    ),
    broken(
        "local: errors of an attribute leave the draw of people out",
        "local/estimates.py",
        "variance + left * held",
        "variance + 0 * held",
        RECORDS,
    ),
    broken(
        "local: intervals of what was picked hold only these",
        "local/estimates.py",
        "consistent=self.consistent[places]\n",
        "consistent=self.consistent[places], compared=len(names)\n",
        HEAVY,
    ),
]
