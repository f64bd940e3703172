"""The rules of what is decoded from reports, each broken once."""

from __future__ import annotations

from mutants.mutant import Mutant, broken

DECODING, SIMULATING = "tests/local/test_decoding.py", "tests/local/test_simulating.py"
STRINGS = "tests/local/rappor/test_strings_oracle.py"

MUTATIONS: list[Mutant] = [
    broken(
        "local: liars are thought to lie about every attribute evenly",
        "local/decoding.py",
        "            *particular, consistent = reading.describe(several)\n",
        "            *particular, consistent = reading.describe(several // len(self.readings))\n",
        DECODING,
    ),
    broken(
        "local: words that noise chose have intervals of their own",
        "local/decoding.py",
        "        return any(reading.chosen for reading in self.readings)\n",
        "        return False\n",
        DECODING,
    ),
    broken(
        "local: intervals that hold all at once forget the other attributes",
        "local/decoding.py",
        "each.compare(compared).show_top(",
        "each.show_top(",
        DECODING,
    ),
    broken(
        "local: errors of an attribute forget who was drawn to tell it",
        "local/decoding.py",
        "take_reading(part, confidence, listed.get(name), top, tally.reports)",
        "take_reading(part, confidence, listed.get(name), top)",
        DECODING,
    ),
    broken(
        "local: a report of fragments counts with an unsound part",
        "local/rappor/strings_oracle.py",
        "return parts[0] & parts[1] & parts[2] & ",
        "return parts[0] & ",
        STRINGS,
    ),
    broken(
        "local: numbers that a file holds as texts count as the middle",
        "local/simulating.py",
        "        return np.array([_read_number(value) for value in column.to_pylist()], dtype=np.float64)\n",
        "        return np.full(len(column), np.nan)\n",
        SIMULATING,
    ),
    broken(
        "local: unsound reports are kept beside the sound ones",
        "local/kept_reports.py",
        "Batch(batch.seeds[good], batch.payloads[good])",
        "batch",
        STRINGS,
    ),
]
