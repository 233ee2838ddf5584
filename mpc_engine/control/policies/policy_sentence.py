"""What a policy checks and tells, in plain sentences: the one place that words it.

The same sentences stand where a regulator composes a policy, where the modeler drafts, where the
regulator approves, where people consent, and on certificates. ``translate`` is gettext where a page
shows them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from mpc_engine.control.policies.charge import certification_bits
from mpc_engine.control.policies.compared_groups import groupings_of
from mpc_engine.control.policies.policy import Policy, PolicyCriterion
from mpc_engine.control.policies.policy_terms import PolicyTerms
from mpc_engine.control.policies.sentence_parts import Translate, joined
from mpc_engine.control.policies.study_terms import Attribute, Label
from mpc_engine.control.texts.names import isolated
from mpc_engine.ring.decimal_encoding import parse_decimal
from mpc_engine.vocabulary.criteria import Bound, CriterionName
from mpc_engine.vocabulary.policies import Comparison, Disclosure, MissingAnswers, SmallGroups

PEOPLE_EXAMPLES = (1_000, 10_000)
"""Sizes of a cohort for which it is told what a table costs."""


def policy_sentences(
    policy: Policy, attributes: tuple[Attribute, ...], label: Label, translate: Translate
) -> list[str]:
    """Return what is checked, what becomes of few and silent people, who learns what."""
    _ = translate
    if policy.comparison == Comparison.EACH_PAIR:
        pairs = _("A certificate says that, of every two groups %(by)s,")
    elif policy.comparison == Comparison.MOST_SELECTED:
        pairs = _(
            "A certificate says that, of every group and the one selected most often, %(by)s,"
        )
    else:
        pairs = _("A certificate says that, of every group and all the others, %(by)s,")
    clauses = [criterion_sentence(item, label, translate) for item in policy.criteria]
    start = pairs % {"by": joined(_divisions(policy, attributes, translate), translate)}
    checked = f"{start} {joined(clauses, translate)}."
    return [
        checked,
        " ".join(few(policy, translate) for few in (_small, _few_decided, _few_answers)),
        _missing(policy, translate),
        told_sentence(policy, translate),
    ]


def criterion_sentence(item: PolicyCriterion, label: Label, translate: Translate) -> str:
    """Return what a criterion asks of two groups, as part of a sentence."""
    values = {
        "limit": item.certify_at,
        "yes": isolated(label.favourable),
        "no": isolated(label.unfavourable),
    }
    return criterion_clause(CriterionName(item.criterion), values, translate)


def criterion_clause(name: CriterionName, values: Mapping[str, str], translate: Translate) -> str:
    """Return the same for what stands for the ``limit`` and the label's ``yes`` and ``no``."""
    _ = translate
    if name.bound is Bound.RATIO:
        whole = _("%(what)s is in one at least %(limit)s %% of the other's")
    elif name.bound is Bound.DIFFERENCE:
        whole = _("%(what)s differs by at most %(limit)s percentage points")
    else:
        whole = _("%(what)s does not differ significantly (z at most %(limit)s)")
    return whole % {"what": _(name.what) % values, **values}


def policy_learners(policy: Policy, translate: Translate) -> list[tuple[str, str]]:
    """Return who learns what of a certification: each reader's name and what she learns."""
    _ = translate
    values = {"what": joined(_learned(policy, translate), translate)}
    return [
        (
            "modeler",
            _(
                "%(what)s, of every model it puts forward, passed or not. Of the answers it holds "
                "one random half, and learns none."
            )
            % values,
        ),
        (
            "regulator",
            _(
                "%(what)s, of every model, and a fingerprint of one that passed. The half of the "
                "answers that it holds is random too."
            )
            % values,
        ),
        (
            "person",
            _("what everybody learns, and every question that was asked of her and the others.")
            + " "
            + _singled_out(policy, translate),
        ),
        (
            "public",
            _(
                "%(what)s, of a model that passed, in its certificate. Of the others: that a "
                "question was asked, how it ended, and how many bits it cost."
            )
            % values,
        ),
    ]


def _singled_out(policy: Policy, translate: Translate) -> str:
    """Return what a question can tell of one person; docs/protocols/security.md has the argument.

    The floor on decisions holds in every group that is left in.
    """
    _ = translate
    told = _(
        "A verdict can't tell for certain which group she is in, also if her other answers are "
        "known, unless the groups of %(others)s or more others who are decided like her, or how "
        "many of them are in each, are known or guessed. That there is none can, and so can "
        "several questions about models made for it."
    ) % {"others": str(policy.minimum_decided)}
    if policy.small_groups == SmallGroups.UNDETERMINED or max(map(len, policy.groups)) < 2:
        return told
    left_out = _(
        "As small groups are left out: where those left in all gave one answer, or all of them who "
        "gave her other answers did, a verdict can tell that she gave it, with nobody's known."
    )
    return f"{told} {left_out}"


def _learned(policy: Policy, translate: Translate) -> list[str]:
    """Return what is opened of a certification, in a few words each."""
    _ = translate
    if policy.disclosure == Disclosure.TABLE:
        learned = [_("how many people of each group (but hidden ones) are decided how")]
        if policy.uses_outcomes:
            learned.append(_("how many of each had which outcome"))
        learned.append(_("whether each limit is kept"))
    elif policy.disclosure == Disclosure.BRACKET:
        learned = [_("between which two steps of 5 % each value lies")]
        if _beside_bracket(policy):
            learned.append(_("whether each other limit is kept"))
    else:
        learned = [_("whether each limit is kept")]
    if policy.names_small_groups:
        learned.append(_("which groups are too small"))
    return learned


def _beside_bracket(policy: Policy) -> list[PolicyCriterion]:
    """Return the criteria that have limits of their own where the others have a bracket's steps."""
    return [
        item
        for item in policy.criteria
        if CriterionName(item.criterion).bound not in (Bound.RATIO, Bound.DIFFERENCE)
    ]


def charge_sentence(terms: PolicyTerms, translate: Translate) -> str:
    """Return what the ledger is charged for a certification, and how many can be asked."""
    _ = translate
    limit = terms.question_bits_limit
    sizes = PEOPLE_EXAMPLES if terms.policy.opens_table else (terms.policy.minimum_answers,)
    parts = []
    for n_people in sizes:
        bits = certification_bits(terms.policy, terms.n_groups, n_people)
        times = min(int(limit / bits), terms.policy.questions)
        values = {"bits": f"{bits:.1f}", "n": f"{n_people:,}", "times": str(times)}
        if terms.policy.opens_table:
            text = _("%(bits)s bits with %(n)s people (%(times)s certifications)")
        else:
            text = _("%(bits)s bits, however many people there are (%(times)s certifications)")
        parts.append(text % values)
    return _(
        "Of the %(limit)s bits that all answers may tell, a certification takes %(parts)s."
    ) % {
        "limit": f"{limit:,}",
        "parts": joined(parts, translate),
    }


def _divisions(
    policy: Policy, attributes: tuple[Attribute, ...], translate: Translate
) -> list[str]:
    """Return by what people are divided into groups, such as "by sex crossed with age"."""
    joint, by = translate(" crossed with "), translate("by %(attributes)s")
    return [
        by % {"attributes": joint.join(isolated(attribute.title) for attribute in grouping)}
        for grouping in groupings_of(policy, attributes)
    ]


def _small(policy: Policy, translate: Translate) -> str:
    _ = translate
    values = {"people": str(policy.minimum_group), "percent": policy.minimum_percent}
    if parse_decimal(policy.minimum_percent) > 0:
        floor = _("fewer than %(people)s people or %(percent)s %% of those who answered")
    else:
        floor = _("fewer than %(people)s people")
    what = {
        SmallGroups.UNDETERMINED: _("With %(floor)s in a group there is no verdict."),
        SmallGroups.EXCLUDED: _("A group with %(floor)s is left out of the comparison."),
        SmallGroups.EXCLUDED_AND_NAMED: _(
            "A group with %(floor)s is left out of the comparison, and it is told which ones are."
        ),
    }
    return what[SmallGroups(policy.small_groups)] % {"floor": floor % values}


def _few_decided(policy: Policy, translate: Translate) -> str:
    _ = translate
    if policy.uses_outcomes:
        whole = _(
            "There is no verdict where a compared group has fewer than %(people)s of the people "
            "decided for, or against, or with a decision and an outcome, known or not, that "
            "somebody has, or of those who count for a rate, or against it."
        )
    else:
        whole = _(
            "There is no verdict where fewer than %(people)s people of a compared group are "
            "decided for, or against."
        )
    return whole % {"people": str(policy.minimum_decided)}


def _few_answers(policy: Policy, translate: Translate) -> str:
    _ = translate
    if policy.minimum_answers == 1:
        return _("Without an answer to a question there is no verdict.")
    return _("With fewer than %(answers)s answers to a question there is no verdict.") % {
        "answers": str(policy.minimum_answers)
    }


def _missing(policy: Policy, translate: Translate) -> str:
    _ = translate
    told = _silent(policy, translate)
    if not policy.joins_groupings:
        return told
    joined = _(
        "Who prefers not to say one of the attributes that are crossed counts, in every comparison "
        "by one of them, as if she had said none."
    )
    return f"{told} {joined}"


def _silent(policy: Policy, translate: Translate) -> str:
    _ = translate
    if policy.missing_answers == MissingAnswers.LEFT_OUT:
        return _("People who prefer not to say are left out of the comparison.")
    if policy.missing_answers == MissingAnswers.BOUNDS_SHOWN:
        return _(
            "People who prefer not to say are left out of the comparison; it is also told what the "
            "verdict could be, at worst and at best, whatever groups they are in."
        )
    return _(
        "The model is certified only if it passes whatever groups the people who prefer not to say "
        "are in; it is also told whether it passes without them, and at best."
    )


def told_sentence(policy: Policy, translate: Translate) -> str:
    """Return what a certification under a policy opens, and to whom."""
    _ = translate
    if policy.disclosure == Disclosure.TABLE:
        return _(
            "Both parties and everybody who reads the certificate learn %(counts)s, and whether "
            "each limit is kept (%(limits)s) or why there is no verdict. They learn no number of "
            "a group of fewer than %(smallest)s people, or in which fewer than %(people)s are "
            "decided for, or against, or in any other count; and nothing of any group where "
            "several divisions would tell of a hidden one. Who asks about several models can "
            "compare their tables."
        ) % {
            "counts": joined(_counts(policy, translate), translate),
            "limits": _limits(policy.criteria),
            "smallest": str(policy.minimum_group),
            "people": str(policy.minimum_decided),
        }
    others = _beside_bracket(policy)
    if policy.disclosure == Disclosure.BRACKET and others:
        return _(
            "Both parties and everybody who reads the certificate learn the values to the nearest "
            "5 %% above and below, whether each other limit is kept (%(limits)s), or why there is "
            "no verdict, and no other number about a group."
        ) % {"limits": _limits(others)}
    if policy.disclosure == Disclosure.BRACKET:
        return _(
            "Both parties and everybody who reads the certificate learn the values to the nearest "
            "5 % above and below, or why there is no verdict, and no other number about a group."
        )
    return _(
        "Both parties and everybody who reads the certificate learn whether each limit is kept "
        "(%(limits)s) or why there is no verdict, and no number about a group."
    ) % {"limits": _limits(policy.criteria)}


def _counts(policy: Policy, translate: Translate) -> list[str]:
    """Return which counts of a group a table opens."""
    _ = translate
    counts = [
        _("how many people each group has"),
        _("how many of them the model decides for"),
    ]
    if policy.uses_outcomes:
        counts.append(_("how many of each had which outcome"))
    return counts


def _limits(criteria: Sequence[PolicyCriterion]) -> str:
    return "; ".join(", ".join(item.thresholds) for item in criteria)
