"""The rules of attacks, each broken once: who is attacked, what the protected side is asked, and what bounds it."""

from __future__ import annotations

from mutants.mutant import broken

HERE = "tests/audit/attacks"
GUESSES = f"{HERE}/test_guesses.py"
PEOPLE = f"{HERE}/test_people.py"
TRACING = f"{HERE}/test_tracing.py"
RECONSTRUCTION = f"{HERE}/test_reconstruction.py"

MUTATIONS = [
    broken(
        "attacks: the bound of add-remove neighbours is that of replace neighbours in one step",
        "audit/attacks/guesses.py",
        "return min(1.0, 1 - math.exp(-loss) * max(0.0, 1 - 2 * miss) / 2)",
        "return min(1.0, 1 / (1 + math.exp(-loss)))",
        GUESSES,
    ),
    broken(
        "attacks: delta is left out of the bound of right guesses",
        "audit/attacks/guesses.py",
        "(1 + miss * math.exp(-loss))",
        "(1 + 0 * miss)",
        GUESSES,
    ),
    broken(
        "attacks: people are drawn as they come, not by a fair coin",
        "audit/attacks/people.py",
        "coins = chance.random(count) < 0.5",
        "coins = chance.random(count) < self.bits.mean()",
        f"{PEOPLE}::test_a_fair_coin_says_of_everybody_drawn_whether_they_have_the_secret",
    ),
    broken(
        "attacks: half of the people drawn have the secret, exactly",
        "audit/attacks/people.py",
        "coins = chance.random(count) < 0.5",
        "coins = chance.permutation(count) < count / 2",
        f"{PEOPLE}::test_a_fair_coin_says_of_everybody_drawn_whether_they_have_the_secret",
    ),
    broken(
        "attacks: the first count of a target is exact",
        "audit/attacks/differencing.py",
        "everybody = first.ask(fresh=True).value",
        "everybody = np.count_nonzero(found.bits)",
        f"{HERE}/test_differencing.py::test_both_counts_of_a_target_are_paid_for",
    ),
    broken(
        "attacks: the curator is asked for another epsilon than the attack says",
        "audit/attacks/reconstruction.py",
        "ask_whole(curator, QUESTIONS, epsilon,",
        "ask_whole(curator, QUESTIONS, epsilon / 2,",
        f"{RECONSTRUCTION}::test_the_curators_answers_give_no_more_bits_than_the_bounds",
    ),
    broken(
        "attacks: people are in more groups than the curator's noise is for",
        "audit/attacks/reconstruction.py",
        "most = int(groups.sum(axis=0).max())",
        "most = int(groups.sum(axis=0).max()) // 4",
        f"{RECONSTRUCTION}::test_the_curators_noise_is_that_of_all_answers_together",
    ),
    broken(
        "attacks: scores of outsiders have another deviation than one",
        "audit/attacks/tracing.py",
        "(leaning**2 * known * (1 - known))",
        "(leaning**2 * known)",
        f"{TRACING}::test_outsiders_have_scores_of_deviation_one_whatever_was_released",
    ),
    broken(
        "attacks: the runs of a study are taken for independent people",
        "audit/attacks/tracing.py",
        "return math.fsum(excesses) / len(excesses), find_standard_error(excesses)",
        "return math.fsum(excesses) / len(excesses), 1.0",
        f"{TRACING}::test_the_test_notices_exact_means",
    ),
    broken(
        "attacks: combinations that two share count as unique",
        "audit/attacks/linkage.py",
        "sum(each == 1 for each in sharing.values())",
        "sum(each <= 2 for each in sharing.values())",
        f"{HERE}/test_linkage.py",
    ),
    broken(
        "attacks: nobody is guessed by the counts that appear, where no total does",
        "audit/attacks/releasing.py",
        "return find_most_frequent(by_secret)",
        "return None",
        f"{HERE}/test_linkage.py",
    ),
    broken(
        "attacks: what a release guarantees is that of its first question alone",
        "audit/attacks/releasing.py",
        'f"({epsilon:.12g}, {delta:.12g})-differentially private"',
        "by_all.guarantee",
        f"{HERE}/test_linkage.py",
    ),
    broken(
        "attacks: people count as covered whose combination appears with another secret",
        "audit/attacks/linkage.py",
        "(*key, value) in told.counts for",
        "key in appearing for",
        f"{HERE}/test_linkage.py",
    ),
    broken(
        "attacks: a table may have two columns of one name",
        "audit/attacks/tables.py",
        "if count > 1]\n    if twice:\n        times",
        "if count > 9]\n    if twice:\n        times",
        f"{HERE}/test_tables.py",
    ),
    broken(
        "attacks: new noise is paid for beyond the times that were asked for",
        "audit/attacks/averaging.py",
        "min(times, MOST_FRESH)",
        "MOST_FRESH",
        f"{HERE}/test_averaging.py",
    ),
    broken(
        "attacks: a secret of one's own is drawn as if it were made up",
        "audit/attacks/telling.py",
        "if own else words",
        "if False else words",
        f"{HERE}/test_pictures.py",
    ),
    broken(
        "attacks: bits are read of counts that floats do not hold",
        "audit/attacks/float_bits.py",
        "MOST_COUNT = 2**50",
        "MOST_COUNT = 2**60",
        f"{HERE}/test_float_bits.py",
    ),
    broken(
        "attacks: some of what the curator recorded is drawn anew",
        "audit/attacks/averaging.py",
        "int(str(prepared.ask().value)) for _ in",
        "int(str(prepared.ask(fresh=_ < 3).value)) for _ in",
        f"{HERE}/test_averaging.py",
    ),
    broken(
        "attacks: some uniform numbers that give an answer are not tried",
        "audit/attacks/float_bits.py",
        "range(-NEAR, NEAR + 1)",
        "range(1, NEAR + 1)",
        f"{HERE}/test_float_bits.py",
    ),
]
