"""Studies that both parties hold and this site lost, or remembers as they were: brought back.

A site that was restored from an older backup asks its parties (`manage.py resynchronise`). What
both say alike of a study is so: its configuration, and after closing its cohort, or that it ended
without one. Where one alone says that a closing binds it the study waits for another.
"""

from __future__ import annotations

import logging
from collections.abc import Sequence

from django.db import transaction
from django.utils import timezone

from blindjustice_web.accounts.models import Organisation, Role
from blindjustice_web.accounts.selectors import organisations
from blindjustice_web.audit.models import EntryKind
from blindjustice_web.audit.services import record
from blindjustice_web.engine import engine_client, engine_texts
from blindjustice_web.engine.engine_post import Message, about_studies, readable_message
from blindjustice_web.lib import push
from blindjustice_web.lib.problems import Problem
from blindjustice_web.post.hearing import hears
from blindjustice_web.post.outbox import ask_to_resynchronise, send_to_both
from blindjustice_web.studies.models import (
    Configuration,
    HeldStudy,
    ProposalKind,
    ProposalState,
    Study,
    StudyState,
)
from blindjustice_web.studies.services import note_bound

logger = logging.getLogger(__name__)

NOT_OPEN_YET = {StudyState.DRAFT, StudyState.KEYS_REQUESTED, StudyState.AWAITING_APPROVAL}
OPENED = {StudyState.OPEN, StudyState.CLOSING, StudyState.WAITING}


@hears(about_studies.StudyHeld)
@transaction.atomic
def note_study_held(message: Message[about_studies.StudyHeld]) -> None:
    """Keep a party's word; where both say the same and the site does not, bring the study back.

    What belongs to it (keys, questions, certificates) came too early then and is asked for again.
    """
    study_id = message.content.study_id.hex()
    # Of two words that come at once the second is looked at with the first.
    study = Study.objects.select_for_update(of=("self",)).filter(pk=study_id).first()
    HeldStudy.objects.update_or_create(
        study_id=study_id,
        role=message.role.value,
        defaults={"body": message.body, "signature": message.signature.hex()},
    )
    words = _words_of(study_id)
    if len(words) < len(Role) or words[0].configuration != words[1].configuration:
        return
    try:
        study = _brought_back(study, study_id, words)
    except Problem as problem:
        logger.error("Study %s can't be brought back: %s", study_id, problem.code)
        return
    if study is not None:
        record(EntryKind.STUDY_BROUGHT_BACK, study=study, subject=study.record_set)
        send_to_both(about_studies.MakeStudyKey(message.content.study_id))
        ask_to_resynchronise(anew=True)
        push.push_change(push.study_group(study_id), "study")


def _words_of(study_id: str) -> list[about_studies.StudyHeld]:
    """Return what parties said last of a study; a word that this version can't read is none."""
    words = []
    for held in HeldStudy.objects.filter(study_id=study_id):
        word = readable_message(held.body, about_studies.StudyHeld)
        if word is None:
            held.delete()
        else:
            words.append(word.content)
    return words


def _brought_back(
    study: Study | None, study_id: str, words: Sequence[about_studies.StudyHeld]
) -> Study | None:
    """Return the study if something of it was brought back, None if the site had it all.

    ``study``: the site's own, locked, if it knows it. ``words``: each party's, of one
    configuration.
    """
    configuration = engine_texts.held_configuration(words[0].configuration)
    if configuration.study_id.hex() != study_id:
        return None
    if study is None:
        study = _study_again(configuration)
    if study is None or not _has_terms(study, configuration):
        logger.error("Study %s can't be brought back: the site has other terms", study_id)
        return None
    before = study.state
    if before in NOT_OPEN_YET:
        study.state, study.opened_at = StudyState.OPEN, timezone.now()
        study.title, study.purpose = configuration.title, configuration.purpose
    if study.state in OPENED:
        _take_closing(study, words)
    study.save()
    return study if study.state != before else None


def _take_closing(study: Study, words: Sequence[about_studies.StudyHeld]) -> None:
    """Give a study that was opened the state that its closing has by both parties' words."""
    standings, standing = {word.closing for word in words}, about_studies.ClosingStanding
    cohort = words[0].cohort if words[0].cohort == words[1].cohort else None
    if standings == {standing.CLOSED} and cohort is not None:
        study.state, study.closed_at = StudyState.CLOSED, timezone.now()
        for name, value in cohort.write().items():
            setattr(study, name, value)
    elif standings == {standing.ENDED}:
        study.state = StudyState.ENDED
    elif standings != {standing.OPEN}:
        note_bound(study)


def _study_again(configuration: engine_client.Configuration) -> Study | None:
    """Return a study that the site has forgotten, as a draft; None without its organisations."""
    modeler = _organisation(Role.MODELER, configuration.modeler.name)
    regulator = _organisation(Role.REGULATOR, configuration.regulator.name)
    if modeler is None or regulator is None:
        return None
    return Study.objects.create(
        id=configuration.study_id.hex(),
        title=configuration.title,
        purpose=configuration.purpose,
        modeler=modeler,
        regulator=regulator,
    )


def _organisation(role: Role, name: str) -> Organisation | None:
    return organisations(role).filter(name=name).first()


def _has_terms(study: Study, configuration: engine_client.Configuration) -> bool:
    """Return whether the study has this configuration, after giving it to one that has none yet."""
    stored = Configuration.objects.filter(study=study).first()
    digest = configuration.digest.hex()
    if stored is not None and stored.approved_at is not None:
        return stored.digest == digest
    if stored is not None:
        stored.delete()
    Configuration.objects.create(
        study=study,
        text=configuration.text,
        digest=digest,
        approved_at=timezone.now(),
        modeler_accepted=True,
        regulator_accepted=True,
    )
    study.proposals.filter(kind=ProposalKind.CONFIGURATION, state=ProposalState.OPEN).update(
        state=ProposalState.SUPERSEDED
    )
    return True
