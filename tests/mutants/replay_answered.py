"""The rules of replay about answers of desks and charges of ledgers, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

ANSWERS = "tests/audit/graybox/comparing/test_answered.py"
CHARGES = "tests/audit/graybox/comparing/test_charged.py"
DESKS = "tests/audit/graybox/comparing/test_desks.py"
FORMED = "tests/audit/graybox/recording/test_forms.py"
NEIGHBOURS = "tests/audit/graybox/databases/test_neighbours.py"
REPLAYING = "tests/audit/graybox/test_replaying.py"

ANSWERED = "audit/graybox/comparing/answered.py"
CHARGED = "audit/graybox/comparing/charged.py"
DESK_RULES = "audit/graybox/comparing/desk_rules.py"
MEASURED = "audit/graybox/comparing/measured.py"
FORMS = "audit/graybox/recording/forms.py"

MUTATIONS = [
    broken(
        "replay: a desk may answer numbers that no mechanism said",
        ANSWERED,
        "    if Counter(number for each in released.sets for number in _list_shown(each)) - known:\n",
        "    if False:\n",
        ANSWERS,
    ),
    broken(
        "replay: a desk may choose others than its mechanism did",
        ANSWERED,
        "        return None if chosen == said else ",
        "        return None if chosen else ",
        ANSWERS,
    ),
    broken(
        "replay: a desk may add to the numbers that were said",
        ANSWERED,
        "    same = list(_flatten(json.loads(entry.fresh))) == list(_flatten(said))\n",
        "    same = len(list(_flatten(json.loads(entry.fresh)))) == len(list(_flatten(said)))\n",
        ANSWERS,
    ),
    broken(
        "replay: a desk may tell an exact statistic",
        ANSWERED,
        "    same = json.loads(entry.fresh) == json.loads(json.dumps(wanted, default=int))\n",
        "    same = True\n",
        ANSWERS,
    ),
    broken(
        "replay: a desk may decide otherwise than its run",
        ANSWERED,
        '    same = (entry.fresh == b"yes") == bool(entry.inner[0].told)\n',
        "    same = True\n",
        ANSWERS,
    ),
    broken(
        "replay: answers that differ under the same noise pass",
        ANSWERED,
        " and one.fresh != other.fresh:\n",
        " and False:\n",
        ANSWERS,
    ),
    broken(
        "replay: keys that were not selected may be shown",
        ANSWERED,
        "    return set(shown.keys or ()) != kept\n",
        "    return False\n",
        ANSWERS,
    ),
    broken(
        "replay: a ledger may be charged less than calls cost",
        CHARGED,
        "    if not _covers(charged, needed):\n",
        "    if False:\n",
        CHARGES,
    ),
    broken(
        "replay: a loss may be smaller than its cost",
        CHARGED,
        "    if not _covers(lost, call.cost):\n",
        "    if False:\n",
        CHARGES,
    ),
    broken(
        "replay: rho of a sum with Laplace noise is not compared",
        DESK_RULES,
        '            self._verdicts.check(Moved(one.name, "rho", one.cost.rho, lost))\n',
        "            pass\n",
        CHARGES,
    ),
    broken(
        "replay: rho of a choice is not compared",
        MEASURED,
        "choice.count * spreads.squares / (part * scale**2))",
        "Fraction(0))",
        CHARGES,
    ),
    broken(
        "replay: rho of drawn quantiles is not compared",
        MEASURED,
        "Charge(epsilon, Fraction(noise.row_rho) * l2_squared)",
        "Charge(epsilon, Fraction(0))",
        CHARGES,
    ),
    broken(
        "replay: a watch may say yes for ever",
        DESK_RULES,
        "        if self._said[mine.run] > mine.asked.cutoff:\n",
        "        if False:\n",
        CHARGES,
    ),
    broken(
        "replay: one watch that is paid for is all watches",
        DESK_RULES,
        "        if mine.run is None or mine.run not in self._watches:\n",
        "        self._watches = dict.fromkeys(range(99), *self._watches.values())\n        if mine.run is None:\n",
        CHARGES,
    ),
    broken(
        "replay: a question to a watch has the price of the last one begun",
        DESK_RULES,
        "        paid = Fraction(self._watches[mine.run].epsilon)",
        "        paid = Fraction(self._watches[max(self._watches)].epsilon)",
        CHARGES,
    ),
    broken(
        "replay: tries may cost more than is paid for one",
        DESK_RULES,
        " or not all(fits_within(each, base) for each in spent):\n",
        ":\n",
        CHARGES,
    ),
    broken(
        "replay: a watch may have no noise on its threshold",
        "audit/graybox/recording/tape.py",
        "            self.faults.append(CALM)\n",
        "            pass\n",
        CHARGES,
    ),
    broken(
        "replay: the folder of a ledger that is thrown away is compared",
        FORMS,
        r"|[^\s']*/discreet-audit-[^/\s']+/",
        "",
        "tests/audit/graybox/databases/test_scratch.py",
    ),
    broken(
        "replay: all tries may count",
        DESK_RULES,
        "        if coins != [[repr(one.loss)]] * 2:\n",
        "        if False:\n",
        CHARGES,
    ),
    broken(
        "replay: nobody goes from one end to the other",
        "audit/graybox/databases/neighbours.py",
        "    groups += _opposite_groups(found, people, make) if replaces else []\n",
        "",
        NEIGHBOURS,
    ),
    broken(
        "replay: receipts in bytes are compared",
        FORMS,
        '        return RECEIPT_BYTES.sub(rb"\\1:", value)\n',
        "        return value\n",
        FORMED,
    ),
    broken(
        "replay: what pandas looked up is compared",
        FORMS,
        "name in PANDAS_CACHES\n",
        'name == ""\n',
        REPLAYING,
    ),
]
