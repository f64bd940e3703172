"""The rules of watches and of online weights, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

WATCHES = "tests/curator/door/test_watching.py"
WEIGHTS = "tests/synthetic/test_online_weights.py"
DESIGN = "tests/synthetic/test_weights_design.py"

MUTATIONS = [
    broken(
        "watches: a watch that lost its secret goes on with another",
        "curator/door/desk.py",
        "            if state.run is None and not self.__recorder.replays:\n"
        "                raise OperationError(FORFEITED)\n",
        "            if state.run is None and not self.__recorder.replays:\n                state.begin()\n",
        WATCHES,
    ),
    broken(
        "watches: one row of a unit is paid for",
        "curator/door/watching.py",
        "bound_l1(self.plan.rows, self.plan.factor) > self.reach",
        "bound_l1(1, self.plan.factor) > self.reach",
        WATCHES,
    ),
    broken(
        "watches: neighbours that replace are paid for as if they added",
        "curator/door/watching.py",
        "bound_l1(self.plan.rows, self.plan.factor) > self.reach",
        "bound_l1(self.plan.rows, 1) > self.reach",
        WATCHES,
    ),
    broken(
        "watches: a watch is not metered",
        "curator/door/desk.py",
        "self.__recorder.answer(call, cost_watch(reach, mechanism), loss, state.begin)",
        "self.__recorder.draw(hash_json(call), state.begin)",
        WATCHES,
    ),
    broken(
        "watches: gaps are taken for monotone",
        "curator/door/watching.py",
        "    if mechanism.monotone or mechanism.answer_scale is not None:\n",
        "    if mechanism.answer_scale is not None:\n",
        WATCHES,
    ),
    broken(
        "watches: another threshold is the same call",
        "curator/door/desk.py",
        '                "threshold": threshold,\n',
        "",
        WATCHES,
    ),
    broken(
        "watches: yes is said once more than was paid for after a crash",
        "curator/door/watching.py",
        "        if self.said >= self.mechanism.cutoff:\n",
        "        if self.said > self.mechanism.cutoff:\n",
        WATCHES,
    ),
    broken(
        "watches: results are told before they are journaled",
        "curator/door/recorder.py",
        "        if self._unwritten:\n            raise OperationError(",
        "        if False:\n            raise OperationError(",
        WATCHES,
    ),
    broken(
        "watches: answers go to people who were suspended",
        "curator/door/performance.py",
        "        self._ledger.refuse_suspended(self._claim.analyst)\n\n    def _compute(",
        "\n    def _compute(",
        WEIGHTS,
    ),
    broken(
        "weights: answers are told without a word of the desk",
        "synthetic/online_weights.py",
        "                desk.confirm()\n",
        "",
        WEIGHTS,
    ),
    broken(
        "weights: every start is the same operation",
        "synthetic/online_weights.py",
        "secrets.token_hex(16)",
        '"start"',
        WEIGHTS,
    ),
    broken(
        "weights: a measurement is not in the charge",
        "synthetic/weights_design.py",
        "each = add_charges(cost_watch(self.reach, self.watch), cost_counts(self.reach, self.reach**2, self.noise))",
        "each = cost_watch(self.reach, self.watch)",
        WEIGHTS,
        DESIGN,
    ),
    broken(
        "weights: a watch says yes as often as it likes",
        "synthetic/online_weights.py",
        "self._watch, self.left = None, self.left - 1",
        "self.left = self.left - 1",
        WEIGHTS,
    ),
    broken(
        "weights: a deadline does not refuse what lives for ever",
        "curator/session.py",
        "        if declared.live and self._holdings.policy.deadline is not None:\n",
        "        if False:\n",
        WEIGHTS,
    ),
    broken(
        "weights: the hypothesis moves away from the truth",
        "synthetic/online_weights.py",
        "design.step if found > estimate else -design.step",
        "-design.step if found > estimate else design.step",
        WEIGHTS,
    ),
    broken(
        "weights: the direction of counts is stepped for parities",
        "synthetic/weights_design.py",
        "    step = float(4 * gap / (rows * spread**2))\n",
        "    step = float(4 * gap / rows)\n",
        DESIGN,
    ),
]
