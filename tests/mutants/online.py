"""The rules of questions that arrive one by one, each broken once."""

from __future__ import annotations

from mutants.mutant import broken

ROUTE = "tests/synthetic/online/test_route.py"
BOOK = "tests/synthetic/online/test_book.py"
INFERENCE = "tests/synthetic/online/test_inference.py"
CUT = "tests/query/test_cut_first.py"
READING = "tests/synthetic/online/test_reading.py"
PURCHASE = "tests/synthetic/online/test_purchase.py"
STATES = "tests/ledger/entries/test_states.py"

MUTATIONS = [
    broken(
        "online: units are cut by what each question reads",
        "engines/rows.py",
        " | {each.name: get_stored_type(each) for each in scan.content}",
        "",
        f"{ROUTE}::test_cells_of_the_histogram_add_up_to_what_is_answered_directly",
    ),
    broken(
        "online: questions with tighter limits are combined",
        "synthetic/online/reading.py",
        "or plan.selects(0) or not cuts_nothing(frame.scan, plan)",
        "or plan.selects(0)",
        f"{ROUTE}::test_other_limits_are_never_combined_with_these",
    ),
    broken(
        "online: versions of the data are combined",
        "synthetic/online/frame.py",
        'return f"{hash_plan(self.plan)} {version}"',
        "return hash_plan(self.plan)",
        f"{ROUTE}::test_another_version_of_the_data_is_never_combined_with_this",
    ),
    broken(
        "online: intervals forget that cells were chosen after a look",
        "synthetic/online/counts.py",
        "bound_equal_sum(noise, count, share + weight)",
        "bound_equal_sum(noise, count, math.log(miss))",
        f"{BOOK}::test_cells_chosen_after_looking_are_covered_and_single_intervals_would_not_be",
    ),
    broken(
        "online: a histogram is bought for what it costs",
        "synthetic/online/book.py",
        "return Fraction(spent) / PATIENCE - Fraction(paid)",
        "return Fraction(spent) - Fraction(paid)",
        f"{BOOK}::test_histograms_never_cost_more_than_a_tenth_of_direct_answers",
    ),
    broken(
        "online: what histograms cost so far is forgotten",
        "synthetic/online/book.py",
        "spent, paid = (spent, paid + amount) if each.bought",
        "spent, paid = (spent, paid) if each.bought",
        f"{BOOK}::test_what_may_be_bought_is_a_tenth_of_direct_answers_less_what_was_bought_whenever_it_is_asked",
    ),
    broken(
        "online: a histogram that is wider than a direct answer is used",
        "synthetic/online/book.py",
        "return (number, each) if widest <= width else None",
        "return (number, each)",
        f"{BOOK}::test_a_histogram_answers_only_within_the_half_width_of_a_direct_answer",
    ),
    broken(
        "online: what does not fit into the asker's cap is used",
        "synthetic/online/ways.py",
        "    if inference is not None and fits(",
        "    if inference is not None and bool(",
        f"{ROUTE}::test_what_does_not_fit_into_the_askers_cap_is_answered_directly",
    ),
    broken(
        "online: the policy's most is not held",
        "synthetic/online/route.py",
        " or not self._is_allowed(asked.frame.table, bought)",
        "",
        f"{ROUTE}::test_histograms_never_cost_more_than_the_policy_lets_them",
    ),
    broken(
        "online: factors are left as floats made them",
        "synthetic/online/inference.py",
        "    whole = GRAIN * int(shared)\n",
        "    return [(int(used[at]), Fraction(float(factors[used[at]]))) for at in range(len(used))]\n"
        "    whole = GRAIN * int(shared)\n",
        INFERENCE,
    ),
    broken(
        "online: units are cut after the filter",
        "query/cut_first.py",
        "if table.online is None or table.unit is None or table.max_rows is None:",
        "if table.online is not None or table.unit is None or table.max_rows is None:",
        CUT,
    ),
    broken(
        "online: distinct units are counted among rows that were cut",
        "query/cut_first.py",
        "if any(asked.kind is not AggregateKind.ROWS for asked in question.aggregates):",
        "if not question.aggregates:",
        CUT,
    ),
    broken(
        "online: counts of another scan are combined",
        "synthetic/online/reading.py",
        "plain = plan.block.source == frame.scan and not plan.block.joins",
        "plain = not plan.block.joins",
        READING,
    ),
    broken(
        "online: neighbours of two kinds are combined",
        "synthetic/online/reading.py",
        "plan.factor != frame.plan.factor or plan.units",
        "plan.units",
        READING,
    ),
    broken(
        "online: limits and values of two policies are combined",
        "synthetic/online/frame.py",
        'return f"{hash_plan(self.plan)} {version}"',
        "return version",
        f"{ROUTE}::test_other_declared_values_are_never_combined_with_these",
    ),
    broken(
        "online: a part of a cell is taken for the whole",
        "synthetic/online/reading.py",
        "return low and high",
        "return low or high",
        READING,
    ),
    broken(
        "online: keys that were not declared are told to be empty",
        "synthetic/online/reading.py",
        "return all(row[place] in values for row in rows for place, values in declared)",
        "return bool(rows) or bool(declared)",
        f"{ROUTE}::test_keys_that_are_handed_in_and_were_not_declared_are_counted_directly",
    ),
    broken(
        "online: one of the releases that an inference uses is charged",
        "synthetic/online/answering.py",
        "return Routed(entries, show)",
        "return Routed(entries[:1], show)",
        f"{ROUTE}::test_what_others_paid_is_charged_to_the_askers_own_cap_once",
    ),
    broken(
        "online: a purchase is charged to nobody's cap",
        "curator/session.py",
        "return session._wait(session.start(bought.operation, bought.text, keep=keep), progress)[1]",
        "return session._wait(Session(session._holdings, None).start(bought.operation, keep=keep), progress)[1]",
        f"{PURCHASE}::test_a_purchase_is_charged_to_the_asker_and_others_pay_for_it_once",
    ),
    broken(
        "online: a histogram that does not fit into the asker's cap is used",
        "synthetic/online/ways.py",
        "if found is not None and fits((found[1].entry,)):",
        "if found is not None:",
        f"{PURCHASE}::test_a_histogram_that_does_not_fit_into_the_askers_cap_is_not_used",
    ),
    broken(
        "online: a purchase has no number of its own",
        "synthetic/online/shelf.py",
        "identity.encode(), once=True)",
        "identity.encode())",
        f"{PURCHASE}::test_two_processes_that_buy_at_once_buy_one_histogram",
    ),
    broken(
        "online: what is kept once is kept again",
        "ledger/entries/states.py",
        "    elif kept.once:\n",
        "    elif kept.once and not kept.value:\n",
        STATES,
    ),
    broken(
        "online: a histogram whose run died is bought anew",
        "synthetic/online/ways.py",
        "if begun is not None and fits((begun[1].entry,)):",
        "if begun is not None and not begun[0]:",
        f"{PURCHASE}::test_a_process_that_is_killed_while_it_buys_leads_to_no_second_draw",
    ),
    broken(
        "online: histograms forget that there are others",
        "synthetic/online/counts.py",
        "share = math.log(miss) - math.log(number * (number + 1))",
        "share = math.log(miss) - math.log(2)",
        f"{BOOK}::test_the_probability_is_shared_among_histograms_too",
    ),
    broken(
        "online: weights of sets add up to more than one",
        "synthetic/online/weights.py",
        "    general = -math.log(total) - chosen\n",
        "    general = -math.log(total)\n",
        "tests/synthetic/online/test_weights.py",
    ),
    broken(
        "online: an inference that is wider than a direct answer is used",
        "synthetic/online/inference.py",
        "if Inference((found[-1],)).bound(self._noises, 0, miss) > width:",
        "if Inference((found[-1],)).bound(self._noises, 0, miss) > 2 * width:",
        INFERENCE,
    ),
    broken(
        "online: inferences are told to be twice as precise",
        "synthetic/online/inference.py",
        "return bound_weighted_sum(factors, miss) + (0.0 if whole else 0.5)",
        "return bound_weighted_sum(factors, miss) / 2",
        f"{BOOK}::test_answers_to_streams_that_were_fixed_beforehand_miss_at_most_as_often_as_promised",
    ),
    broken(
        "online: prices are compared in the other currency",
        "synthetic/online/book.py",
        "return charge.rho if self.by_rho else charge.epsilon",
        "return charge.epsilon if self.by_rho else charge.rho",
        f"{BOOK}::test_prices_are_compared_in_the_currency_that_binds",
    ),
]
