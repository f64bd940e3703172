"""The rules of the audit by outputs, each broken once: what makes a bound hold, and a fault a finding."""

from __future__ import annotations

from mutants.mutant import broken

DIRECT = "tests/audit/blackbox/test_direct.py"
BETTING = "tests/audit/blackbox/test_betting.py"
LOWER_BOUND = "tests/audit/blackbox/test_lower_bound.py"
SEARCH = "tests/audit/blackbox/test_search.py"
SEVERAL = "tests/audit/blackbox/test_several.py"
ONE_RUN = "tests/audit/blackbox/test_one_run.py"
SUMS_OF_PARTS = "tests/audit/blackbox/test_sums_of_parts.py"
SCORES = "tests/audit/blackbox/test_scores.py"
RATIOS = "tests/audit/suite/test_ratios.py"
EVENTS = "tests/audit/blackbox/test_events.py"
FRESH = "tests/audit/blackbox/test_fresh.py"
STAGED = "tests/audit/blackbox/test_staged.py"
LOUDEST = "tests/audit/blackbox/test_loudest.py"
ROWS = "tests/audit/blackbox/test_output_rows.py"

SOUND = [
    broken(
        "audit: the event is chosen by the outputs that certify it",
        "audit/blackbox/lower_bound.py",
        "    reader = OutputReader(mechanism, longest)\n",
        "    kept: dict[Any, Any] = {}\n"
        "    reader = OutputReader(\n"
        "        lambda given, count: kept.setdefault(given, mechanism(given, samples))[:count], longest\n"
        "    )\n",
        FRESH,
    ),
    broken(
        "audit: the direct test forgets delta",
        "audit/blackbox/direct.py",
        "        kept, added = 1 / whole, deltas / whole\n",
        "        kept, added = 1 / whole, 0 * deltas\n",
        DIRECT,
    ),
    broken(
        "audit: the direct test thins nothing",
        "audit/blackbox/direct.py",
        "        kept, added = 1 / whole, deltas / whole\n",
        "        kept, added = np.ones(len(whole)), deltas / whole\n",
        DIRECT,
    ),
    broken(
        "audit: thinned pairs of both are not lost",
        "audit/blackbox/direct.py",
        '        lost = self.counts.second + len(both) - np.searchsorted(both, kept, side="left")\n',
        "        lost = self.counts.second + np.zeros(len(kept))\n",
        DIRECT,
    ),
    broken(
        "audit: a bound is above the first claim that is not refuted",
        "audit/blackbox/direct.py",
        "    return float(GRID[first - 1]) if first else 0.0\n",
        "    return float(GRID[min(first + 40, len(GRID) - 1)]) if first else 0.0\n",
        DIRECT,
    ),
    broken(
        "audit: luck shows more than outputs can",
        "audit/blackbox/direct.py",
        "        return np.maximum(self.test_claims(near, deltas), find_loudest(near, deltas, self.pairs))\n",
        "        return self.test_claims(near, deltas)\n",
        LOUDEST,
    ),
    broken(
        "audit: the loudest outcome forgets delta",
        "audit/blackbox/loudest.py",
        "np.minimum(1.0, ratio * unlikely + deltas)",
        "np.minimum(1.0, ratio * unlikely)",
        LOUDEST,
    ),
    broken(
        "audit: the loudest outcome is that of one stage",
        "audit/blackbox/staged.py",
        "        return sum(test.pairs for test in self.tests)\n",
        "        return self.tests[0].pairs\n",
        LOUDEST,
        STAGED,
    ),
    broken(
        "audit: a stake may be larger than what one has",
        "audit/blackbox/betting.py",
        "        if 1 + stake * gain < 0:\n            return -math.inf\n",
        "        if 1 + stake * gain < 0:\n            continue\n",
        BETTING,
    ),
    broken(
        "audit: bets forget delta",
        "audit/blackbox/betting.py",
        "        (counts.first, 1 - delta),\n",
        "        (counts.first, 1),\n",
        BETTING,
    ),
    broken(
        "audit: those who stop early look at the test for one look",
        "audit/blackbox/lower_bound.py",
        "    if stop_early:\n        bets, epsilon",
        "    if stop_early and counts.pairs == aim.pairs:\n        bets, epsilon",
        FRESH,
    ),
    broken(
        "audit: many tests are not corrected",
        "audit/blackbox/several.py",
        "(1 - confidence) / (len(values) - rank)",
        "(1 - confidence)",
        SEVERAL,
    ),
    broken(
        "audit: the event of a stage is chosen by the outputs of that stage",
        "audit/blackbox/search.py",
        "        drawn = store.draw(pair[::-1] if event.swapped else pair, size)\n",
        "        rows = store.draw(pair, size)\n"
        "        event = judge_scores(*rows, aim) or event\n"
        "        event = learn_again(event, *rows, aim)\n"
        "        drawn = rows[::-1] if event.swapped else rows\n",
        FRESH,
    ),
    broken(
        "audit: stages look at outputs that were learned from",
        "audit/blackbox/search.py",
        "            name, fresh = name_input(given), self._draw(given, outputs)\n",
        "            name = name_input(given)\n"
        "            fresh = np.resize(self._kept[name], (outputs, self._kept[name].shape[1]))\n",
        FRESH,
    ),
    broken(
        "audit: large inputs have the same name",
        "audit/blackbox/names.py",
        "        return pickle.dumps(given)\n",
        "        return repr(given).encode()\n",
        SEARCH,
    ),
    broken(
        "audit: a pair is not left whatever its stages show",
        "audit/blackbox/search.py",
        "        place = rank_pairs(found, aim)[0]\n",
        "",
        SEARCH,
    ),
    broken(
        "audit: stages are weighed as if each were all",
        "audit/blackbox/staged.py",
        "math.sqrt(test.pairs / self.pairs)",
        "math.sqrt(test.pairs / self.pairs * 2)",
        STAGED,
    ),
    broken(
        "audit: a stage of few pairs weighs as much as one of many",
        "audit/blackbox/staged.py",
        "math.sqrt(test.pairs / self.pairs)",
        "math.sqrt(1 / len(self.tests))",
        STAGED,
    ),
    broken(
        "audit: counts of stages are added up",
        "audit/blackbox/staged.py",
        "        total = np.zeros(len(epsilons))\n",
        "        added = self.tests[0].counts\n"
        "        for each in self.tests[1:]:\n"
        "            added = added.add(each.counts)\n"
        "        return DirectTest(added, self.tests[0].seed).find_p_values(epsilons, deltas)\n",
        STAGED,
    ),
    broken(
        "audit: one stage may undo all others",
        "audit/blackbox/staged.py",
        "LEAST = -6.0\n",
        "LEAST = -60.0\n",
        STAGED,
    ),
    broken(
        "audit: that no stage undoes the others costs nothing",
        "audit/blackbox/staged.py",
        "special.ndtr(-total) + len(self.tests) * special.ndtr(LEAST)",
        "special.ndtr(-total)",
        STAGED,
    ),
    broken(
        "audit: a pair that both sides thin is won and lost",
        "audit/blackbox/direct.py",
        "np.searchsorted(first, np.minimum(kept, 1 - added), side=",
        "np.searchsorted(first, kept, side=",
        DIRECT,
    ),
    broken(
        "audit: one output that is no number changes all that were drawn with it",
        "audit/blackbox/output_rows.py",
        "    found = [read_numbers(each) for each in outputs]\n",
        "    found = [None for _ in outputs]\n",
        ROWS,
    ),
    broken(
        "audit: an output of another length is a fault",
        "audit/blackbox/output_rows.py",
        "if isinstance(outputs, np.ndarray) or width in (None, whole.shape[1]):",
        "if True:",
        ROWS,
    ),
    broken(
        "audit: a stage without a word speaks against the claim",
        "audit/blackbox/direct.py",
        "        return np.asarray(more + share * (_reach(won, lost) - more))\n",
        "        return np.asarray(more)\n",
        STAGED,
    ),
    broken(
        "audit: the search certifies by more outputs than were asked for",
        "audit/blackbox/search.py",
        "store.share(samples - 2 * aim.pairs - reader.drawn if last else tried, left)",
        "store.share(samples - 2 * aim.pairs if last else tried, left)",
        SEARCH,
    ),
    broken(
        "audit: one run is bounded at any delta",
        "audit/blackbox/one_run.py",
        "    at = read_delta(delta)\n",
        "    at = delta\n",
        ONE_RUN,
    ),
    broken(
        "audit: a mechanism may change what it is audited on",
        "audit/blackbox/search.py",
        "        if name_input(given) != name:\n",
        "        if False:\n",
        SEARCH,
    ),
    broken(
        "audit: one run forgets delta",
        "audit/blackbox/one_run.py",
        "    return min(1.0, reached + 2 * canaries * at * densest)\n",
        "    return min(1.0, reached)\n",
        ONE_RUN,
    ),
    broken(
        "audit: all guesses of one run are called right",
        "audit/blackbox/one_run.py",
        "int(right_in + most_out - np.count_nonzero(coins[order[:most_out]]))",
        "int(right_in + most_out)",
        ONE_RUN,
    ),
]

FAULTS = [
    broken(
        "audit: NaN is an output like others",
        "audit/blackbox/outputs.py",
        "        if np.isnan(rows).any():\n",
        "        if False:\n",
        LOWER_BOUND,
    ),
    broken(
        "audit: NaN beside a text is a text",
        "audit/blackbox/output_rows.py",
        "            row[0] = np.nan if _has_nan(each) else find_code(",
        "            row[0] = find_code(",
        ROWS,
    ),
    broken(
        "audit: an output that cannot be read ends the audit",
        "audit/blackbox/outputs.py",
        "            rows = read_rows(raw, self._width)\n        except Exception as trouble:\n",
        "            rows = read_rows(raw, self._width)\n        except MemoryError as trouble:\n",
        ROWS,
    ),
    broken(
        "audit: a mechanism may hang",
        "audit/blackbox/outputs.py",
        "            with limit_time(self.longest):\n",
        "            with limit_time(600.0):\n",
        LOWER_BOUND,
    ),
    broken(
        "audit: a fault refutes nothing",
        "audit/blackbox/lower_bound.py",
        "        if self.fault is not None:\n            return 0.0\n",
        "        if self.fault is not None:\n            return 1.0\n",
        LOWER_BOUND,
    ),
]

CALLS = [
    broken(
        "audit: what is no claim is refuted or not",
        "audit/blackbox/lower_bound.py",
        '        claim = read_claim(epsilon, "epsilon")\n',
        "        claim = epsilon\n",
        LOWER_BOUND,
    ),
    broken(
        "audit: a known score may give anything",
        "audit/blackbox/scores.py",
        "        if found.shape != (len(rows),) or np.isnan(found).any():\n",
        "        if False:\n",
        LOWER_BOUND,
    ),
    broken(
        "audit: pairs may be anything",
        "audit/blackbox/search.py",
        "    listed = list(pairs) if isinstance(pairs, Collection) else []\n",
        "    listed = list(pairs)\n",
        SEARCH,
    ),
    broken(
        "audit: a move that takes no pair is called",
        "audit/blackbox/search.py",
        '        check_takes(move, left[0], np.random.default_rng(), expected=MOVED, name="move")\n',
        "        pass\n",
        SEARCH,
    ),
    broken(
        "audit: a score of one run that takes no canary is noticed after it",
        "audit/blackbox/one_run.py",
        '    check_takes(score, None, listed[0], expected=SCORES, name="score")\n',
        "",
        ONE_RUN,
    ),
    broken(
        "audit: a canary may have two coins",
        "audit/blackbox/one_run.py",
        "        if name in names:\n",
        "        if False:\n",
        ONE_RUN,
    ),
    broken(
        "audit: nothing may be guessed of one run",
        "audit/blackbox/one_run.py",
        "        if 1 <= most_in + most_out <= canaries:\n",
        "        if most_in + most_out <= canaries:\n",
        ONE_RUN,
    ),
    broken(
        "audit: a score of one run may be NaN",
        "audit/blackbox/one_run.py",
        "        if math.isnan(number):\n",
        "        if False:\n",
        ONE_RUN,
    ),
    broken(
        "audit: a wrong call of compiled code is a finding",
        "audit/blackbox/outputs.py",
        "            if not self.drawn and isinstance(trouble, TypeError) and _is_of_the_call(trouble):\n",
        "            if False:\n",
        LOWER_BOUND,
    ),
    broken(
        "audit: every wrong type on the first call is a wrong call",
        "audit/blackbox/outputs.py",
        "isinstance(trouble, TypeError) and _is_of_the_call(trouble)",
        "isinstance(trouble, TypeError)",
        LOWER_BOUND,
    ),
    broken(
        "audit: one output at a time may be asked for by a count",
        "audit/blackbox/outputs.py",
        '    check_takes(mechanism, None, expected="a function `mechanism(given)` that returns one output")\n',
        "",
        LOWER_BOUND,
    ),
]

SEARCHED = [
    broken(
        "audit: pairs that are suspected are dropped",
        "audit/blackbox/search.py",
        "for turn in zip(shown, suspected, strict=True) for place in turn",
        "for place in shown",
        SEARCH,
    ),
    broken(
        "audit: no event is suspected",
        "audit/blackbox/events.py",
        "        if not certain and suspect.suspicion >= SUSPICIOUS:\n",
        "        if False:\n",
        EVENTS,
    ),
    broken(
        "audit: a rare event that looks too good is certain",
        "audit/blackbox/events.py",
        "        certain = best.expected > aim.claim and best.suspicion >= CERTAIN\n",
        "        certain = best.expected > aim.claim\n",
        EVENTS,
    ),
    broken(
        "audit: scores are believed whatever outputs bear out",
        "audit/blackbox/events.py",
        "_bear_out(first, second) if score.smooth else",
        "(1.0, _bear_out(first, second)[1]) if score.smooth else",
        EVENTS,
    ),
    broken(
        "audit: an event takes in a frequent kind when its score is learned again",
        "audit/blackbox/lower_bound.py",
        "float(values[np.argmin(np.abs(inside - wanted))])",
        "float(values[np.flatnonzero(inside >= wanted)[-1]])",
        LOWER_BOUND,
    ),
    broken(
        "audit: sums of parts believe whatever few outputs say",
        "audit/blackbox/sums_of_parts.py",
        "    precision = choose_precision(width, turn.T @ slope)\n",
        "    precision = 0.1\n",
        SUMS_OF_PARTS,
    ),
    broken(
        "audit: rare ones of few kinds are believed whatever chance did",
        "audit/blackbox/scores.py",
        "    return _compare(first, second, kinds) * width / (width + precision)\n",
        "    return _compare(first, second, kinds) * width / (width + 1e-9 * precision)\n",
        SCORES,
    ),
    broken(
        "audit: the chances of told answers forget the threshold",
        "audit/suite/ratios.py",
        "np.interp(lowest, noise, np.cumsum(chance) - chance / 2)",
        "np.full(len(lowest), chance.sum())",
        RATIOS,
    ),
]

MUTATIONS = [*SOUND, *FAULTS, *CALLS, *SEARCHED]
