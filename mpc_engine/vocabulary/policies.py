"""What a policy can choose: kind of study, who is compared, small groups, what is disclosed."""

from __future__ import annotations

from enum import StrEnum


class StudyKind(StrEnum):
    """What a study's questions open, from which follows what they can tell of one person.

    ``VERDICT``: whether a model passes, fails or has no verdict and why, nothing else.
    ``PUBLISHED``: exact numbers, where a law asks for them: brackets, tables, several thresholds,
    bounds on missing answers, names of small groups.
    """

    VERDICT = "verdict"
    PUBLISHED = "published"


class Comparison(StrEnum):
    """Which groups are held against each other; for two groups the first two are the same.

    ``MOST_SELECTED``: each group against the one with the highest acceptance rate, of several the
    first. For a ratio of acceptance rates it says what ``EACH_PAIR`` says.
    """

    EACH_PAIR = "each_pair"
    EACH_AGAINST_REST = "each_against_rest"
    MOST_SELECTED = "most_selected"


class SmallGroups(StrEnum):
    """What a policy makes of groups under its floor."""

    UNDETERMINED = "undetermined"
    EXCLUDED = "excluded"
    EXCLUDED_AND_NAMED = "excluded_and_named"


class MissingAnswers(StrEnum):
    """What a policy makes of people who prefer not to say."""

    LEFT_OUT = "left_out"
    BOUNDS_SHOWN = "bounds_shown"
    WORST_CASE_CERTIFIES = "worst_case_certifies"


class Disclosure(StrEnum):
    """What both parties learn beside verdicts at the policy's thresholds.

    ``BRACKET``: the thresholds are a ladder, so that the verdicts say between which two rungs the
    value lies. ``TABLE``: every count of every group with at least the floor's number of people.
    """

    VERDICT = "verdict"
    BRACKET = "bracket"
    TABLE = "table"
