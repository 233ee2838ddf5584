"""What is counted of a group, and the rates that follow from counts.

A person's decision and known outcome put her in one of four cells; whoever's outcome is not known
is in none, but counts for the acceptance rate. With 1 the favourable value of both:

======================================  ===================  ==============
rate (Kilbertus et al. 2018, eqs. 1-6)  successes            of cases
======================================  ===================  ==============
acceptance rate                         selected             size
accuracy                                TP + TN              all four cells
true positive rate                      TP                   TP + FN
true negative rate                      TN                   TN + FP
false positive rate                     FP                   TN + FP
positive predictive value               TP                   TP + FP
negative predictive value               TN                   TN + FN
======================================  ===================  ==============
"""

from __future__ import annotations

from enum import StrEnum

UNKNOWN_LABEL = 2
"""Of whoever's outcome is not known, where 0 and 1 are the label's two values."""


class Count(StrEnum):
    """What is counted of a group, in the order of a table's columns."""

    SIZE = "size"
    SELECTED = "selected"
    TRUE_POSITIVES = "true_positives"
    FALSE_POSITIVES = "false_positives"
    TRUE_NEGATIVES = "true_negatives"
    FALSE_NEGATIVES = "false_negatives"


class RateName(StrEnum):
    """The paper's rates, equations 6 and 1 to 5, and 1 less its true negative rate.

    Of each: what it is, as part of a sentence with the label's values ``%(yes)s`` and ``%(no)s``;
    the counts that are its successes, and those that are its failures.
    """

    what: str
    successes: tuple[Count, ...]
    failures: tuple[Count, ...]

    def __new__(
        cls,
        word: str,
        what: str = "",
        successes: tuple[Count, ...] = (),
        failures: tuple[Count, ...] = (),
    ) -> RateName:
        """Return the rate of a name with what belongs to it."""
        rate = str.__new__(cls, word)
        rate._value_ = word
        rate.what, rate.successes, rate.failures = what, successes, failures
        return rate

    ACCEPTANCE = "acceptance_rate", "how often “%(yes)s” is decided", (Count.SELECTED,), ()
    """Of all people of a group: its cases are the group's size, and its failures not counted."""
    ACCURACY = (
        "accuracy",
        "how often the decision is right",
        (Count.TRUE_POSITIVES, Count.TRUE_NEGATIVES),
        (Count.FALSE_POSITIVES, Count.FALSE_NEGATIVES),
    )
    TRUE_POSITIVE = (
        "true_positive_rate",
        "how often “%(yes)s” is decided for those whose outcome is “%(yes)s”",
        (Count.TRUE_POSITIVES,),
        (Count.FALSE_NEGATIVES,),
    )
    TRUE_NEGATIVE = (
        "true_negative_rate",
        "how often “%(no)s” is decided for those whose outcome is “%(no)s”",
        (Count.TRUE_NEGATIVES,),
        (Count.FALSE_POSITIVES,),
    )
    FALSE_POSITIVE = (
        "false_positive_rate",
        "how often “%(yes)s” is decided for those whose outcome is “%(no)s”",
        (Count.FALSE_POSITIVES,),
        (Count.TRUE_NEGATIVES,),
    )
    """In equalised odds only: by itself it bounds what the true negative rate does, or errors."""
    POSITIVE_PREDICTIVE = (
        "positive_predictive_value",
        "how often a decision “%(yes)s” is right",
        (Count.TRUE_POSITIVES,),
        (Count.FALSE_POSITIVES,),
    )
    NEGATIVE_PREDICTIVE = (
        "negative_predictive_value",
        "how often a decision “%(no)s” is right",
        (Count.TRUE_NEGATIVES,),
        (Count.FALSE_NEGATIVES,),
    )

    @property
    def counts(self) -> frozenset[Count]:
        """Return what must be counted of a group for the rate."""
        if self is RateName.ACCEPTANCE:
            return frozenset((Count.SIZE, Count.SELECTED))
        return frozenset(self.successes + self.failures)
