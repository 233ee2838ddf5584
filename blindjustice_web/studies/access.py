"""Who may see a study and act on it, decided here and nowhere else."""

from __future__ import annotations

from dataclasses import dataclass

from django.db.models import Q, QuerySet

from blindjustice_web.accounts.models import Role
from blindjustice_web.accounts.selectors import Viewer, membership_of
from blindjustice_web.lib.problems import NotAllowed, NotThere, Text
from blindjustice_web.studies.models import Proposal, Study


@dataclass(frozen=True)
class StudyAccess:
    """A study together with the role its viewer has in it."""

    study: Study
    role: Role


def studies_for(user: Viewer) -> QuerySet[Study]:
    """Return the studies of the user's organisation; none for a person or visitor."""
    membership = membership_of(user)
    studies = Study.objects.select_related("modeler", "regulator", "configuration")
    if membership is None:
        return studies.none()
    if membership.role == Role.MODELER:
        return studies.filter(modeler=membership.organisation)
    return studies.filter(regulator=membership.organisation)


def in_studies_of(user: Viewer, path: str = "study") -> Q:
    """Return what rows of the studies in `studies_for` have in common; ``path`` leads to a study.

    A join, where a query inside the query would list all those studies each time.
    """
    membership = membership_of(user)
    if membership is None:
        return Q(pk__in=())
    return Q(**{f"{path}__{membership.role}": membership.organisation_id})


def study_for(user: Viewer, study_id: str, *, role: Role | None = None) -> StudyAccess:
    """Return a study its viewer takes part in, in the given role if one is given; else NotThere."""
    membership = membership_of(user)
    study = studies_for(user).filter(pk=study_id).first()
    if membership is None or study is None:
        raise NotThere
    if role is not None and membership.role != role:
        raise NotThere
    return StudyAccess(study, Role(membership.role))


def proposal_for(user: Viewer, proposal_id: str) -> tuple[Proposal, Role]:
    """Return a proposal its viewer may see, and the viewer's role in it; else NotThere."""
    proposal = Proposal.objects.select_related("study").filter(pk=proposal_id).first()
    if proposal is None:
        raise NotThere
    return proposal, study_for(user, proposal.study_id).role


def require_role(role: Role, wanted: Role, detail: Text) -> None:
    """Return if somebody who may see the study also has the role that acts here."""
    if role != wanted:
        raise NotAllowed("OTHER_ROLE_ACTS", detail)


def public_study(study_id: str) -> Study:
    """Return a study anyone may read about: one whose configuration both parties approved."""
    studies = Study.objects.select_related("modeler", "regulator", "configuration")
    study = studies.filter(pk=study_id, configuration__approved_at__isnull=False).first()
    if study is None:
        raise NotThere
    return study
