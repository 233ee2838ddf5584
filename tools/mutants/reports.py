"""Reports are made of what a policy opened, and of nothing else."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_ACCESS = "tests/web/test_report_access.py"
_BOUNDS = "tests/web/test_report_bounds.py"
_FIGURES = "tests/web/test_report_figures.py"
_FOLDER = "blindjustice_web/presentation/reports"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "report-of-an-undisclosed-policy",
        "counts that the policy does not open appear in no report, wherever they stand",
        f"{_FOLDER}/opened.py",
        "    if not policy.opens_table:",
        "    if False:",
        f"{_ACCESS}::test_counts_that_stand_where_the_policy_opens_none_are_not_shown",
    ),
    Mutant(
        "hidden-group-of-nobody",
        "the numbers of a hidden group are not shown as zeros",
        "blindjustice_web/presentation/cards/groups.py",
        ' if any(row["counts"]) else [None for _count in row["counts"]],',
        ",",
        "tests/web/test_rates.py::test_the_numbers_of_a_hidden_group_are_dashes_and_no_zero",
    ),
    Mutant(
        "report-file-of-an-undisclosed-policy",
        "the files of a report that is not offered are not handed out",
        "blindjustice_web/portals/report_page.py",
        "    if why_not_offered(result, groups):",
        "    if False:",
        f"{_ACCESS}::test_counts_that_stand_where_the_policy_opens_none_are_not_shown",
    ),
    Mutant(
        "public-report-of-what-the-site-says",
        "a public report is made of the signed text, not of the site's own rows",
        "blindjustice_web/certificates/access.py",
        "    return certificate.result, [dict(row.to_json()) for row in checked.groups]",
        "    return certificate.result, list(certificate.result.groups)",
        f"{_ACCESS}::test_the_public_report_is_made_of_the_signed_text_alone",
    ),
    Mutant(
        "tiny-group-as-the-reference",
        "a group under the floor is never the reference",
        f"{_FOLDER}/impact_ratios.py",
        "    candidates = [group for group in groups if group.is_told and group.left_out is False]",
        "    candidates = [group for group in groups if group.is_told]",
        f"{_FIGURES}::test_a_tiny_group_is_reported_apart_and_is_never_the_reference",
    ),
    Mutant(
        "all-clear-beside-a-hidden-group",
        "a report clears nobody where a hidden group may have the highest rate",
        f"{_FOLDER}/impact_ratios.py",
        "        return any(row.group.may_be_higher for row in self.rows)",
        "        return False",
        f"{_BOUNDS}::test_beside_a_hidden_group_that_was_compared_every_form_tells_bounds",
    ),
    Mutant(
        "hidden-group-taken-to-be-left-out",
        "a group without numbers is not taken to be too small to be compared",
        f"{_FOLDER}/opened.py",
        "    return answers.pop() if size and len(answers) == 1 else None",
        "    return answers.pop() if len(answers) == 1 else None",
        f"{_BOUNDS}::test_a_hidden_group_is_never_taken_to_be_too_small",
    ),
)
