"""What a verdict means: the rules, their floors, and when there is none."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_P_RULE = "tests/engine/fairness/test_p_rule.py"
_CERTIFICATION = "tests/engine/protocols/test_certification.py"
_RATES = "tests/engine/protocols/test_rate_certification.py"
_FLOORED = "tests/engine/protocols/test_decision_floor.py"
_CROSSED = "tests/engine/protocols/test_crossed_groupings.py"
_CASES = "tests/engine/fairness/test_comparisons.py"
_ATTACKS = "tests/engine/protocols/test_question_attacks.py"
_SMALL = f"{_CERTIFICATION}::test_small_and_silent_groups_are_undetermined_and_give_no_signature"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "floor-ignored",
        "a group under the policy's floor has no verdict, decided in the computation",
        "mpc_engine/fairness/groups.py",
        "    small = [algebra.less_than(size, floor) for size in sizes]",
        "    small = [algebra.less_than(size, algebra.constant(1)) for size in sizes]",
        _SMALL,
    ),
    Mutant(
        "empty-group-told",
        "of a group under the floor it is not told whether it is empty",
        "mpc_engine/fairness/groups.py",
        "            algebra, [bit for bits in small for bit in bits]\n",
        "            algebra,\n"
        "            [algebra.less_than(n, algebra.constant(1)) for row in sizes for n in row],\n",
        f"{_ATTACKS}::test_of_a_group_under_the_floor_it_is_not_told_whether_it_is_empty",
    ),
    Mutant(
        "few-answers-ignored",
        "too few answers give no verdict",
        "mpc_engine/fairness/groups.py",
        "    few = [algebra.less_than(total(algebra, counts), fewest) for counts in sizes]",
        "    few = [algebra.less_than(fewest, algebra.constant(0))]",
        _SMALL,
    ),
    Mutant(
        "one-selected-is-told-of",
        "a group of which the model selects too few has no verdict",
        "mpc_engine/fairness/comparisons.py",
        "                algebra.less_than(rate.successes, floor),\n",
        "",
        f"{_ATTACKS}::test_a_model_that_selects_one_person_and_an_accomplice_reads_nothing",
    ),
    Mutant(
        "one-rejected-is-told-of",
        "a group of which the model selects all but too few has no verdict",
        "mpc_engine/fairness/comparisons.py",
        "                algebra.less_than(algebra.subtract(rate.cases, rate.successes), floor),\n",
        "",
        f"{_ATTACKS}::test_a_model_that_rejects_one_person_and_an_accomplice_reads_nothing",
    ),
    Mutant(
        "one-of-an-outcome-is-told-of",
        "a rate about outcomes rests on the floor's number of successes and of failures",
        "mpc_engine/protocols/certification/grouping.py",
        "sorted(names | {RateName.ACCEPTANCE})",
        "[RateName.ACCEPTANCE]",
        f"{_FLOORED}::test_a_rate_that_is_zero_in_a_group_is_too_few_decided_under_every_bound[ratio]",
    ),
    Mutant(
        "decisions-beside-outcomes-unfloored",
        "both decisions are under the floor whatever rate a criterion is about",
        "mpc_engine/protocols/certification/grouping.py",
        "sorted(names | {RateName.ACCEPTANCE})",
        "sorted(names)",
        f"{_FLOORED}::test_a_rate_about_outcomes_needs_both_decisions_too",
    ),
    Mutant(
        "one-person-between-two-rates",
        "of a class that the counts don't tell apart each compared group has none or the floor",
        "mpc_engine/protocols/certification/grouping.py",
        "        if self._spec.holds_classes:",
        "        if not names:",
        f"{_FLOORED}::test_two_rates_together_do_not_turn_on_one_person[0]",
    ),
    Mutant(
        "one-person-as-a-difference-in-a-table",
        "a table shows no group of which two counts differ by fewer people than the floor",
        "mpc_engine/protocols/certification/predicate.py",
        "                    algebra.either(nobody, algebra.less_equal(floor, size))",
        "                    algebra.either(nobody, algebra.less_equal(algebra.constant(0), size))",
        f"{_FLOORED}::test_a_table_hides_a_group_left_out_of_which_a_difference_is_one_person",
    ),
    Mutant(
        "class-of-a-group-left-out",
        "a class that only a group left out has is not taken for one that nobody is in",
        "mpc_engine/protocols/certification/grouping.py",
        "classes_of(algebra, self._spec.counts, group) for group in everybodys]",
        "classes_of(algebra, self._spec.counts, group) for group in self._groups]",
        f"{_FLOORED}::test_a_class_that_only_a_group_left_out_has_ends_the_verdict[verdict-2]",
    ),
    Mutant(
        "absent-class-under-the-floor",
        "a class that no group has does not end the verdict",
        "mpc_engine/fairness/comparisons.py",
        "algebra.less_than(algebra.constant(0), total(algebra, sizes))",
        "algebra.less_equal(algebra.constant(0), total(algebra, sizes))",
        f"{_FLOORED}::test_a_table_of_outcomes_does_not_show_one_person_as_a_difference[0]",
    ),
    Mutant(
        "left-out-group-under-decisions",
        "a group left out is not held against the floor on decisions",
        "mpc_engine/fairness/comparisons.py",
        "        bits = [algebra.both(own, bit) for own, bit in zip(included, bits, strict=True)]",
        "        bits = list(bits)",
        f"{_RATES}::test_a_tiny_group_is_reported_apart_and_is_never_the_reference",
    ),
    Mutant(
        "passes-without-verdict",
        "with a reason for no verdict no criterion passes",
        "mpc_engine/fairness/groups.py",
        "tuple(algebra.both(decided, bit) for bit in row)",
        "tuple(row)",
        f"{_P_RULE}::test_the_first_reason_is_given_and_nothing_passes",
    ),
    Mutant(
        "p-rule-strict",
        "equality passes the p%-rule",
        "mpc_engine/fairness/comparisons.py",
        "    return algebra.less_equal(\n"
        "        algebra.scale(high, percent.numerator), "
        "algebra.scale(low, 100 * percent.denominator)\n",
        "    return algebra.less_than(\n"
        "        algebra.scale(high, percent.numerator), "
        "algebra.scale(low, 100 * percent.denominator)\n",
        f"{_P_RULE}::test_equality_passes",
    ),
    Mutant(
        "p-rule-one-way",
        "the p%-rule is tested both ways for every pair",
        "mpc_engine/fairness/comparisons.py",
        "        ways = ((first, second), (second, first))",
        "        ways = ((first, second),)",
        f"{_P_RULE}::test_swapping_the_groups_changes_nothing",
    ),
    Mutant(
        "covariance-strict",
        "equality passes the covariance criterion",
        "mpc_engine/fairness/covariance.py",
        "                    algebra.less_equal(",
        "                    algebra.less_than(",
        "tests/engine/fairness/test_covariance.py"
        "::test_verdicts_agree_with_fractions_under_at_and_above_the_true_value",
    ),
    Mutant(
        "first-attribute-only",
        "every tested entry must respect every bound",
        "mpc_engine/fairness/groups.py",
        "        held = algebra.both(held, bit)",
        "        held = algebra.both(held, held)",
        f"{_P_RULE}::test_bounds_agree_with_fractions_under_at_and_above_the_true_ratio",
    ),
    Mutant(
        "share-floor-ignored",
        "a group with a smaller share of the answers than the policy's has no verdict of its own",
        "mpc_engine/fairness/groups.py",
        "            algebra.either(few, algebra.less_than(size, share))",
        "            algebra.either(few, few)",
        f"{_RATES}::test_a_tiny_group_is_reported_apart_and_is_never_the_reference",
    ),
    Mutant(
        "tiny-group-compared",
        "a group under the floor is compared with none where the policy leaves it out",
        "mpc_engine/protocols/certification/grouping.py",
        "        {count: algebra.keep_if(bit, value) for count, value in group.items()}",
        "        {count: value for count, value in group.items()}",
        f"{_RATES}::test_a_tiny_group_is_reported_apart_and_is_never_the_reference",
    ),
    Mutant(
        "tiny-group-leads",
        "a group under the floor is never the most selected that others are held against",
        "mpc_engine/fairness/comparisons.py",
        "            better = algebra.both(included[number], "
        "algebra.either(algebra.negated(found), better))",
        "            better = algebra.either(algebra.negated(found), better)",
        f"{_CASES}::test_the_first_groups_left_out_never_lead",
    ),
    Mutant(
        "one-group-compared",
        "fewer than two groups above the floor give no verdict",
        "mpc_engine/fairness/groups.py",
        "        at_most_one = algebra.either(algebra.both(at_most_one, bit), none)",
        "        at_most_one = none",
        f"{_CASES}::test_fewer_than_two_large_groups_are_undetermined",
    ),
    Mutant(
        "difference-strict",
        "equality passes a bound on a difference",
        "mpc_engine/fairness/comparisons.py",
        "    return algebra.less_equal(\n        algebra.scale(distance, 100 * points.denominator)",
        "    return algebra.less_than(\n        algebra.scale(distance, 100 * points.denominator)",
        f"{_FLOORED}::test_a_rate_that_is_zero_in_a_group_is_too_few_decided_under_every_bound"
        "[difference]",
    ),
    Mutant(
        "z-not-squared",
        "the z test compares the square of the statistic with the square of z",
        "mpc_engine/fairness/comparisons.py",
        "    squared = algebra.multiply(algebra.multiply(distance, distance), cases)",
        "    squared = algebra.multiply(distance, cases)",
        f"{_CASES}::test_the_z_test_agrees_with_the_textbook",
    ),
    Mutant(
        "worst-case-gentle",
        "the worst case puts every missing failure into one group and every success into the other",
        "mpc_engine/fairness/missing.py",
        "        Rate(low.successes, algebra.add(low.cases, failures)),",
        "        Rate(low.successes, low.cases),",
        f"{_CASES}::test_the_worst_case_is_the_worst_of_all_distributions",
    ),
    Mutant(
        "worst-case-not-certifying",
        "a policy can certify in the worst case only",
        "mpc_engine/protocols/certification/predicate.py",
        "    rows = bits.worst if in_worst_case else bits.passes",
        "    rows = bits.passes",
        f"{_RATES}::test_missing_answers_can_forbid_a_certificate",
    ),
    Mutant(
        "small-group-in-table",
        "an opened table shows no count of a group with a cell under the floor",
        "mpc_engine/protocols/certification/predicate.py",
        "        tuple(algebra.keep_if(bit, group[count]) for count in spec.counts)",
        "        tuple(group[count] for count in spec.counts)",
        f"{_RATES}::test_an_opened_table_shows_every_group_but_those_under_the_floor",
    ),
    Mutant(
        "small-group-in-table-by-size",
        "a table shows no group under the smallest group, however its people are decided",
        "mpc_engine/protocols/certification/predicate.py",
        "                algebra.less_equal(smallest, group[Count.SIZE]),\n",
        "",
        f"{_FLOORED}::test_a_shown_group_is_held_to_both_floors",
    ),
    Mutant(
        "table-at-the-smallest-group",
        "a count of a table is held to the floor on decisions",
        "mpc_engine/protocols/certification/predicate.py",
        "    floor = algebra.constant(spec.floors.minimum_decided)",
        "    floor = algebra.constant(1)",
        f"{_FLOORED}::test_a_shown_group_is_held_to_both_floors",
    ),
    Mutant(
        "nobody-in-table",
        "a table shows no group of which a count is under the floor, 0 included",
        "mpc_engine/protocols/certification/predicate.py",
        "group[count] for count in spec.counts if count is not Count.SIZE]",
        "group[count] for count in spec.counts if count is Count.SIZE]",
        f"{_FLOORED}::test_a_shown_group_has_no_count_of_nobody",
    ),
    Mutant(
        "table-without-verdict",
        "without a verdict no count is opened",
        "mpc_engine/protocols/certification/predicate.py",
        "    decided = algebra.negated(any_of(algebra, list(reasons.values())))",
        "    decided = algebra.less_equal(algebra.constant(0), algebra.constant(0))",
        f"{_RATES}::test_without_a_verdict_a_table_is_empty",
    ),
    Mutant(
        "table-of-groupings-in-part",
        "of several groupings a table shows all groups or none",
        "mpc_engine/protocols/certification/predicate.py",
        "        shown = [all_of(algebra, shown)] * len(groups)\n",
        "",
        f"{_RATES}::test_of_several_groupings_a_table_shows_all_groups_or_none",
    ),
    Mutant(
        "groupings-crossed-in-part",
        "a certification crosses all attributes of groupings that share some",
        "mpc_engine/protocols/certification/spec.py",
        "        if None in finest_divisions(self.groupings):",
        "        if False:",
        f"{_CROSSED}::test_groupings_that_cross_a_join_in_part_are_refused[groupings0]",
    ),
    Mutant(
        "comparisons-crossed-in-part",
        "a policy crosses all attributes of comparisons that share some",
        "mpc_engine/control/policies/policy.py",
        "    if None in finest_divisions(groups):",
        "    if False:",
        "tests/engine/control/test_policy.py"
        "::test_a_policy_that_certifies_nothing_is_refused_by_name",
    ),
    Mutant(
        "preset-crossed-in-part",
        "a preset that crosses attributes crosses all of them too",
        "mpc_engine/control/policies/presets.py",
        "    sizes = {1, 2, len(attributes)} if crossed else {1}",
        "    sizes = {1, 2} if crossed else {1}",
        "tests/engine/control/test_policy_sentence.py"
        "::test_what_crosses_attributes_also_crosses_all_of_them[names2]",
    ),
    Mutant(
        "group-of-one",
        "a smallest group of one person, or a floor under five, is refused",
        "mpc_engine/control/policies/policy.py",
        "MIN_GROUP = 2\nMIN_DECIDED = 5\n",
        "MIN_GROUP = 1\nMIN_DECIDED = 1\n",
        "tests/engine/control/test_policy.py::test_a_fault_is_named",
    ),
    Mutant(
        "other-people-in-a-crossed-table",
        "groupings that have attributes in common are of the same people",
        "mpc_engine/protocols/certification/spec.py",
        "        return tuple(number for number in found if number is not None)",
        "        return tuple(range(len(found)))",
        f"{_CROSSED}::test_who_left_out_one_attribute_is_not_read_between_two_divisions[table]",
    ),
    Mutant(
        "left-out-in-another-division",
        "who is in a group that is left out is in no division that is joined with it",
        "mpc_engine/protocols/certification/predicate.py",
        "        found.append((summed(algebra, item, parts), left_out))\n",
        "        item = dict(zip(spec.counted, counts, strict=True))[number]\n"
        "        item = compared_counts(algebra, spec, summed(algebra, item, parts), left_out)\n"
        "        found.append((item, left_out))\n",
        f"{_CROSSED}::test_who_is_in_a_group_that_is_left_out_is_in_no_other_division[verdict]",
    ),
    Mutant(
        "table-of-other-people",
        "a table whose divisions are of other people than one another is no cohort's",
        "mpc_engine/protocols/certification/plausible.py",
        "        and found.table == said.table\n",
        "",
        "tests/engine/protocols/test_plausible.py"
        "::test_no_table_of_other_people_in_one_division_than_in_another_is_let_out",
    ),
    Mutant(
        "verdict-of-another-table",
        "a verdict that the table beside it refutes is no cohort's",
        "mpc_engine/protocols/certification/plausible.py",
        "        and found.bits.passes == passes\n",
        "",
        "tests/engine/protocols/test_plausible.py"
        "::test_no_verdict_beside_a_table_that_says_another_is_let_out[undetermined]",
    ),
    Mutant(
        "table-without-policy",
        "no count is opened unless the policy opens the table",
        "mpc_engine/protocols/certification/predicate.py",
        "    if spec.disclosure is not Disclosure.TABLE:\n        return ()\n",
        "",
        f"{_CASES}::test_the_circuit_opens_no_wire_that_the_policy_does_not_disclose",
    ),
)
