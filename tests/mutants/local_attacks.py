"""Where the local model told more than it said, each mended place broken again."""

from __future__ import annotations

from mutants.mutant import broken

CLIENT = "local/client"
CALIBRATION = "tests/local/client/test_calibration.py"
METRIC = "tests/local/client/test_metric.py"
COINS = "tests/local/client/test_coins.py"
DECODING = "tests/local/test_decoding.py"
LIFETIMES = "tests/local/test_lifetimes.py"

MUTATIONS = [
    broken(
        "chances near 1 of a Hadamard sketch are computed in floats",
        f"{CLIENT}/sketch.py",
        "take_chance(grown / (grown + 1))",
        "take_chance(float(grown) / (float(grown) + 1))",
        CALIBRATION,
    ),
    broken(
        "chances near 1 of one bit are computed in floats",
        f"{CLIENT}/numbers.py",
        "take_chance(grown / (grown + 1))",
        "take_chance(float(grown) / (float(grown) + 1))",
        CALIBRATION,
    ),
    broken(
        "chances near 1 of a window are computed in floats",
        f"{CLIENT}/piecewise.py",
        "take_chance(inside / (inside + cells - width))",
        "take_chance(float(inside) / (float(inside) + cells - width))",
        CALIBRATION,
    ),
    broken(
        "an epsilon below what chances can hold is taken",
        f"{CLIENT}/coins.py",
        "LEAST_EPSILON = 1e-9",
        "LEAST_EPSILON = 5e-324",
        CALIBRATION,
    ),
    broken(
        "a child with its parent's number uses its parent's coins",
        f"{CLIENT}/coins.py",
        "os.register_at_fork(after_in_child=_Process.renew)\n",
        "",
        COINS,
    ),
    broken(
        "a thread that finds no word left raises",
        f"{CLIENT}/coins.py",
        "        except IndexError:  # another thread took the last one\n            return self.words(1)[0]",
        "        finally:\n            pass",
        COINS,
    ),
    broken(
        "a value that cannot be looked at makes encode raise",
        f"{CLIENT}/metric.py",
        "self.mechanism.randomise(self.place(value), coins)",
        "self.mechanism.randomise(self.domain.place(value), coins)",
        METRIC,
    ),
    broken(
        "a metric's name may be no text",
        f"{CLIENT}/metric.py",
        "    except UnicodeEncodeError:\n        return False",
        "    except UnicodeEncodeError:\n        return True",
        METRIC,
    ),
    broken(
        "bounds that are equal as floats are taken",
        f"{CLIENT}/domain.py",
        "float(self.low) < float(self.high)",
        "self.low < self.high",
        METRIC,
    ),
    broken(
        "a report's epsilon is told rounded to the nearest",
        "local/decoding.py",
        "{format_price(metric.mechanism.epsilon)}",
        "{metric.mechanism.epsilon:.4g}",
        DECODING,
    ),
    broken(
        "what malicious reports can do is told rounded to the nearest",
        "local/readings.py",
        "{round_up(malicious * self.found.shift):.2g}",
        "{malicious * self.found.shift:.2g}",
        DECODING,
    ),
    broken(
        "what a day tells alone is told as if it were all",
        "local/decoding.py",
        'alone = ", looked at alone" if metric.mechanism.remembers else ""',
        'alone = ""',
        DECODING,
    ),
    broken(
        "what a constant value tells is told rounded to the nearest",
        "local/lifetimes.py",
        "constant = format_price(mechanism.constant)",
        'constant = f"{mechanism.constant:.3g}"',
        LIFETIMES,
    ),
    broken(
        "sums of reports are rounded to the nearest",
        "local/lifetimes.py",
        "float_up(one * count)",
        "float(one * count)",
        LIFETIMES,
    ),
]
