"""What can be foreseen from how many people answered, said before something final is signed.

Nobody knows how many answered what. But so many people in so many groups can be too few whatever
they answered, and a closing or a charge can't be taken back.
"""

from __future__ import annotations

from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine import engine_policies, engine_sweeps
from blindjustice_web.engine.engine_client import Configuration
from blindjustice_web.engine.engine_policies import PolicyTerms
from blindjustice_web.studies.models import Study, StudyState
from blindjustice_web.studies.questions import bits_text, ledger_of
from blindjustice_web.studies.services import approved_configuration


def closing_warnings(study: Study, n_people: int) -> list[str]:
    """Return why a study should not be closed with so many people, each in a sentence."""
    configuration = approved_configuration(study)
    least = configuration.policy.minimum_answers
    if n_people < least:
        return [_too_few(configuration) % {"n": n_people, "least": least}]
    if _trains(configuration):
        return []
    return [
        *_unpayable(study, configuration, n_people),
        *_certain(configuration, n_people),
        *_kept_too_small(configuration),
    ]


def certification_warnings(study: Study, n_people: int) -> list[str]:
    """Return what a certification of so many people may be charged for in vain."""
    configuration = approved_configuration(study)
    if _trains(configuration) or study.state != StudyState.CLOSED or not n_people:
        return []
    foreseen = _certain(configuration, n_people) or _possible(configuration, n_people)
    return [*foreseen, *_kept_too_small(configuration)]


def group_needs(terms: PolicyTerms) -> list[str]:
    """Return what the groups of a policy need, for numbers to be shown and for a verdict."""
    shown = [_table_need(terms)] if terms.policy.opens_table else []
    return [*shown, *_kept_too_small(terms)]


def _kept_too_small(terms: Configuration | PolicyTerms) -> list[str]:
    """Return that a group is kept which is too small for a verdict, where others are left out."""
    sizes = engine_policies.group_need(terms).without_verdict
    if sizes is None:
        return []
    sentence = _(
        "A group of %(least)d to %(most)d people is not left out, and with it there is no verdict "
        "whatever the model decides; a certification is charged all the same. With %(enough)d as "
        "the smallest group it would be left out."
    )
    least, most = sizes
    return [sentence % {"least": least, "most": most, "enough": most + 1}]


def _table_need(terms: PolicyTerms) -> str:
    need = engine_policies.group_need(terms)
    if need.hides_all:
        sentence = _(
            "Numbers are shown only if each of the %(groups)d groups of the finest division has "
            "%(least)d people or more, %(all)d in all if they are equally large: one rare group "
            "hides them all, and a certification is charged all the same."
        )
    else:
        sentence = _(
            "The numbers of a group can be shown if it has %(least)d people or more, and so all "
            "of them with %(all)d people in %(groups)d equally large groups; a certification is "
            "charged all the same."
        )
    least, groups = need.people, need.n_groups
    return sentence % {"groups": groups, "least": least, "all": least * groups}


def _trains(configuration: Configuration) -> bool:
    return configuration.data_holder.value == Role.MODELER


def _too_few(configuration: Configuration) -> str:
    if _trains(configuration):
        return _(
            "%(n)d of the %(least)d people that a training needs have answered. Closing is final: "
            "nobody could answer afterwards, and no model could be trained in this study. Wait, or "
            "invite more people."
        )
    return _(
        "%(n)d of the %(least)d people that a verdict needs have answered. Closing is final: "
        "nobody could answer afterwards, and no model could get a verdict in this study. Wait, or "
        "invite more people."
    )


def _unpayable(study: Study, configuration: Configuration, n_people: int) -> list[str]:
    charge = engine_sweeps.certification_millibits(configuration, n_people)
    left = ledger_of(study).left_millibits
    if charge <= left:
        return []
    sentence = _(
        "A certification of %(n)d people tells %(bits)s bits, and %(left)s may be told: no model "
        "could be certified in this study."
    )
    return [sentence % {"n": n_people, "bits": bits_text(charge), "left": bits_text(left)}]


def _certain(configuration: Configuration, n_people: int) -> list[str]:
    """Return what fails whatever so many people answered: some group is too small."""
    need = engine_policies.group_need(configuration)
    if n_people >= need.people * need.n_groups:
        return []
    if need.ends_verdict:
        sentence = _(
            "With %(n)d people in %(groups)d groups, one group at least has fewer than %(least)d: "
            "there would be no verdict, and %(bits)s bits would be counted all the same."
        )
    elif need.hides_all:
        sentence = _(
            "With %(n)d people in %(groups)d groups, one group at least has fewer than the "
            "%(least)d that its numbers need: no number of any group would be shown, and %(bits)s "
            "bits would be counted all the same."
        )
    else:
        sentence = _(
            "With %(n)d people in %(groups)d groups, one group at least has fewer than the "
            "%(least)d that its numbers need, so that they would not be shown, or there would be "
            "no verdict at all; %(bits)s bits would be counted all the same."
        )
    return [_filled(sentence, configuration, need, n_people)]


def _possible(configuration: Configuration, n_people: int) -> list[str]:
    """Return what fails where a group is rare, in a policy that opens a table."""
    need = engine_policies.group_need(configuration)
    if not configuration.policy.opens_table:
        return []
    if need.ends_verdict:
        sentence = _(
            "If one of the %(groups)d groups has fewer than %(least)d of the %(n)d people "
            "(%(percent)s %%), there is no verdict, and %(bits)s bits are counted all the same."
        )
    elif need.hides_all:
        sentence = _(
            "If one of the %(groups)d groups has fewer than %(least)d of the %(n)d people "
            "(%(percent)s %%), no number of any group is shown, and %(bits)s bits are counted all "
            "the same."
        )
    else:
        sentence = _(
            "The numbers of a group with fewer than %(least)d of the %(n)d people (%(percent)s %%) "
            "are not shown, or there is no verdict; %(bits)s bits are counted all the same."
        )
    return [_filled(sentence, configuration, need, n_people)]


def _filled(
    sentence: str, configuration: Configuration, need: engine_policies.GroupNeed, n_people: int
) -> str:
    charge = engine_sweeps.certification_millibits(configuration, n_people)
    return sentence % {
        "n": n_people,
        "groups": need.n_groups,
        "least": need.people,
        "percent": f"{100 * need.people / n_people:.1f}".removesuffix(".0"),
        "bits": bits_text(charge),
    }
