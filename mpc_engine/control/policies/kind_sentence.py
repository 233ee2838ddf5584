"""Of which kind a study is and how many models it asks about, in plain words.

People read it before they answer, both parties before they sign.
"""

from __future__ import annotations

from mpc_engine.control.policies.policy import Policy
from mpc_engine.control.policies.sentence_parts import Translate, joined
from mpc_engine.vocabulary.policies import Disclosure, MissingAnswers, StudyKind

FEW_VERDICTS = 2
CERTAIN_VERDICTS = 6
MANY_DECIDED = 10
"""So many verdicts tell little about one person, where as many of her group are decided for and
against, or her answer for certain: by the table of docs/protocols/security.md."""


def kind_sentence(policy: Policy, translate: Translate) -> str:
    """Return of which kind a study is, how many models it asks about, and what that means.

    What is said of verdicts is of somebody who can't guess what others answered.
    """
    _ = translate
    if policy.kind == StudyKind.VERDICT:
        if len(policy.criteria) == 1:
            kept = _("whether it keeps the limit")
        else:
            kept = _("whether it keeps each limit")
        kind = _(
            "This is a study of verdicts: of a model it is told %(kept)s, or why there is no "
            "verdict, and nothing else."
        ) % {"kept": kept}
    else:
        kind = _(
            "This is a study of published numbers: %(what)s. They are exact, for both parties and "
            "everybody who reads the certificate."
        ) % {"what": joined(_published(policy, translate), translate)}
    if policy.questions == 1:
        number = _("One model can be asked about, and no other.")
    else:
        number = _("At most %(n)s models can be asked about.") % {"n": str(policy.questions)}
    return f"{kind} {number} {_told_of_one(policy, translate)}"


def _told_of_one(policy: Policy, translate: Translate) -> str:
    """Return what so many questions can tell a modeler of one person.

    A model has a verdict for each criterion.
    """
    _ = translate
    if policy.kind == StudyKind.PUBLISHED:
        if policy.questions == 1:
            return _("These numbers can tell one person's answer to whoever knows enough others'.")
        return _(
            "Whoever compares the numbers of two models made for it can find out one person's "
            "answer; both parties sign that so many are asked about all the same."
        )
    n_verdicts = policy.questions * len(policy.criteria)
    if n_verdicts <= FEW_VERDICTS and policy.minimum_decided >= MANY_DECIDED:
        return _(
            "So few verdicts tell little about one person to a modeler that can't guess others' "
            "answers."
        )
    if n_verdicts <= FEW_VERDICTS:
        return _(
            "Where as few as %(k)s people of a group are decided for, or against, even so few "
            "verdicts help a modeler to guess one person's answer, also if it can't guess others'."
        ) % {"k": str(policy.minimum_decided)}
    if n_verdicts < CERTAIN_VERDICTS:
        return _(
            "From so many verdicts a modeler that makes its models for it may well find out one "
            "person's answer, also if it can't guess others'; both parties sign that so many are "
            "asked about all the same."
        )
    return _(
        "From so many verdicts a modeler that makes its models for it can find out one person's "
        "answer for certain, also if it can't guess others'; both parties sign that so many are "
        "asked about all the same."
    )


def _published(policy: Policy, translate: Translate) -> list[str]:
    """Return what is published beside a verdict, in a few words each."""
    _ = translate
    published = []
    if policy.opens_table:
        published.append(_("numbers by group are published"))
    elif policy.disclosure == Disclosure.BRACKET:
        published.append(_("it is published between which two steps of 5 % each value lies"))
    elif any(len(item.thresholds) > 1 for item in policy.criteria):
        published.append(_("it is published which of several limits are kept"))
    if policy.names_small_groups:
        published.append(_("small groups are named"))
    if policy.missing_answers != MissingAnswers.LEFT_OUT:
        published.append(_("the worst and the best case are published"))
    return published
