"""The rules of the audit of the house, each broken once: what makes its draws independent and its refutations sure."""

from __future__ import annotations

from mutants.mutant import broken

HERE = "tests/audit/house"

MUTATIONS = [
    broken(
        "audit: neighbours lie in one table",
        "audit/house/keyed_draws.py",
        "sides = self.blocks[0::2], self.blocks[1::2]",
        "sides = (self.blocks,)",
        f"{HERE}/test_keyed_draws.py",
    ),
    broken(
        "house: draws of keys are handed out twice",
        "audit/house/keyed_draws.py",
        "            self._left[given] = self._left[given][missing:]\n",
        "            self._left[given] = self._left[given][missing:] if missing > 7 else self._left[given]\n",
        f"{HERE}/test_keyed_draws.py",
    ),
    broken(
        "house: an input has the draws of another's keys",
        "audit/house/keyed_draws.py",
        "            fresh = rows[place * self.keys : (place + 1) * self.keys]\n",
        "            fresh = rows[: self.keys]\n",
        f"{HERE}/test_keyed_draws.py",
    ),
    broken(
        "house: NULL is read as nothing",
        "audit/house/keyed_draws.py",
        "-1e6 if value is None else value for value",
        "0 if value is None else value for value",
        f"{HERE}/test_keyed_draws.py",
    ),
    broken(
        "house: answers are read in the order in which they come",
        "audit/house/keyed_draws.py",
        "        return np.stack(columns, axis=1)[order][:count]\n",
        "        return np.stack(columns, axis=1)[:count]\n",
        f"{HERE}/test_keyed_draws.py",
    ),
    broken(
        "house: a word in no name audits nothing",
        "audit/house/running.py",
        "        check_found(tasks, components, only)\n",
        "",
        f"{HERE}/test_running.py::test_a_word_that_is_in_no_name_is_refused_with_all_names_that_there_are",
    ),
    broken(
        "house: a name as its table writes it is in no name",
        "audit/house/choosing.py",
        "    forms = write_name(kind, name), ",
        "    forms = ",
        f"{HERE}/test_running.py::test_a_part_has_the_name_that_its_table_or_its_finding_writes",
    ),
    broken(
        "house: a page may be without marks",
        "audit/house/options.py",
        "    if not begun or END not in rest:\n",
        "    if False:\n",
        f"{HERE}/test_options.py::test_a_page_without_both_marks_is_refused_before_it_loses_what_follows",
    ),
    broken(
        "house: no outputs are enough",
        "audit/house/options.py",
        "        if number < least:\n",
        "        if False:\n",
        f"{HERE}/test_options.py::test_what_means_nothing_ends_with_2",
    ),
    broken(
        "house: a refutation among many is as sure as one alone",
        "audit/house/findings.py",
        "<= (1 - SURE) / many for",
        "<= (1 - SURE) for",
        f"{HERE}/test_findings.py",
    ),
    broken(
        "house: replays with findings do not break the audit",
        "audit/house/findings.py",
        "for each in self.replays if not each.report.ok]",
        "for each in self.replays if each.report.refused]",
        f"{HERE}/test_running.py::test_whatever_is_the_matter_with_a_replay_stands_in_the_page",
    ),
    broken(
        "replay does not hear universal means",
        "audit/graybox/recording/heard.py",
        '    UniversalMean: {"release": ("values",)},\n',
        "",
        "tests/audit/graybox/comparing/test_desks.py",
        "tests/audit/graybox/test_replaying.py",
    ),
]
