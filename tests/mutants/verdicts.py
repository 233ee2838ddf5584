"""What a verdict means: the rules, their floors, and when there is none."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

_P_RULE = "tests/engine/fairness/test_p_rule.py"
_CERTIFICATION = "tests/engine/protocols/test_certification.py"
_SMALL = f"{_CERTIFICATION}::test_small_and_silent_groups_are_undetermined_and_give_no_signature"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "floor-ignored",
        "a group under the policy's floor has no verdict, decided in the computation",
        "mpc_engine/fairness/groups.py",
        "    small = [algebra.less_than(count, floor) for counts in sizes for count in counts]",
        "    small = [algebra.less_than(count, one) for counts in sizes for count in counts]",
        _SMALL,
    ),
    Mutant(
        "empty-group-ignored",
        "a category without people has no verdict",
        "mpc_engine/fairness/groups.py",
        "    empty = [algebra.less_than(count, one) for counts in sizes for count in counts]",
        "    empty = [algebra.less_than(one, algebra.constant(0))]",
        _SMALL,
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
        "nobody-selected-is-fair",
        "a model that selects nobody has no verdict",
        "mpc_engine/protocols/certification/predicate.py",
        "        reasons.append(nobody_selected(algebra, selections))",
        "        reasons.append(algebra.less_than(algebra.constant(0), algebra.constant(0)))",
        f"{_CERTIFICATION}::test_nobody_selected_is_undetermined_and_never_fair",
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
        "mpc_engine/fairness/p_rule.py",
        "                        algebra.less_equal(",
        "                        algebra.less_than(",
        f"{_P_RULE}::test_equality_passes",
    ),
    Mutant(
        "p-rule-one-way",
        "the p%-rule is tested both ways for every pair",
        "mpc_engine/fairness/p_rule.py",
        "                for low, high in ((own, other), (other, own)):",
        "                for low, high in ((own, other),):",
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
)
