"""The policy editor: its fields, what they mean, and what is at fault, as posted and as started.

The same fields stand in the form of a study and where a regulator composes a policy. Its script
posts the whole form here and exchanges what comes back; without one the regulator's page does.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

from django.http import HttpRequest, HttpResponse, QueryDict
from django.shortcuts import render
from django.utils.translation import gettext as _

from blindjustice_web.accounts.models import Role
from blindjustice_web.engine import engine_policies
from blindjustice_web.engine.engine_policies import PolicyTerms, Readings
from blindjustice_web.portals.pages import View, member_action
from blindjustice_web.presentation.cards.policy_choices import OWN, choices
from blindjustice_web.presentation.words.foresight import group_needs
from blindjustice_web.studies.models import PublishedPolicy
from blindjustice_web.studies.policies import policy_in_force, terms_of_policy
from blindjustice_web.studies.policy_fields import (
    AboutFields,
    AttributeRow,
    CriterionRow,
    PolicyFields,
    judge,
    names_of,
)


@dataclass(frozen=True)
class Editor:
    """The editor as it stands: fields, what they mean, what is wrong with them by field.

    ``about_terms`` is what people are asked and what is decided, as a draft has it;
    ``about`` the same as fields, where they are edited here too. ``tried``: it was to be published,
    so what is still missing of them is a fault as well.
    """

    fields: PolicyFields
    about_terms: Mapping[str, Any]
    about: AboutFields | None = None
    start: str = OWN
    faults: Mapping[str, str] = field(default_factory=dict)
    terms: PolicyTerms | None = None
    tried: bool = False

    @classmethod
    def of(
        cls,
        fields: PolicyFields,
        about_terms: Mapping[str, Any],
        about: AboutFields | None = None,
        start: str = OWN,
    ) -> Editor:
        """Return the editor with its fields judged."""
        judged = judge(fields, about_terms)
        if isinstance(judged, PolicyTerms):
            return cls(fields, about_terms, about, start, {}, judged)
        return cls(fields, about_terms, about, start, judged)

    @property
    def shown_faults(self) -> Mapping[str, str]:
        """Return the faults of the policy's own fields: what is asked may still be missing."""
        return {key: words for key, words in self.faults.items() if key not in self.about_terms}

    @property
    def readings(self) -> Readings | None:
        """Return what the fields mean, for people; None while something is at fault."""
        return engine_policies.readings_of(self.terms, _) if self.terms else None

    @property
    def group_need(self) -> str:
        """Return how many people its groups need for what it tells; nothing where that is clear."""
        return " ".join(group_needs(self.terms)) if self.terms else ""

    @property
    def learners(self) -> list[tuple[str, str, str]]:
        """Return who learns what: the class of their dot, their name, a sentence."""
        names = {
            "modeler": _("The modeler"),
            "regulator": _("The regulator"),
            "person": _("People who answered"),
            "public": _("Everybody"),
        }
        told = self.readings.learners if self.readings else []
        return [("site" if who == "public" else who, names[who], text) for who, text in told]

    @property
    def rows(self) -> list[tuple[CriterionRow, str]]:
        """Return the criteria with their faults; one empty row where there is none."""
        rows = self.fields.criteria or (CriterionRow(),)
        return [(row, self.faults.get(f"criteria.{n}", "")) for n, row in enumerate(rows)]

    @property
    def as_json(self) -> dict[str, Any]:
        """Return what the page's script needs: the terms as they stand, and whether they will do.

        A published policy's terms say also what is asked and decided; ``regulator`` published it.
        """
        published = self._published
        return {
            "terms": self.fields.terms(self.about_terms),
            "faulty": bool(self.shown_faults),
            "regulator": published.regulator.name if published else "",
        }

    @property
    def is_published(self) -> bool:
        """Return whether the fields were filled from a policy that a regulator published."""
        return self._published is not None

    @cached_property
    def _published(self) -> PublishedPolicy | None:
        return policy_in_force(self.start)

    @property
    def options(self) -> dict[str, Any]:
        """Return the options of every field."""
        return choices()


def first_editor(
    about: AboutFields | None = None,
    start: str = "four_fifths",
    withdrawn: PublishedPolicy | None = None,
) -> Editor:
    """Return the editor as a new form has it; ``withdrawn`` fills it though it is not offered."""
    about_terms = about.to_json() if about else {"attributes": [], "label": {}}
    editor = Editor.of(PolicyFields(()), about_terms, about)
    return _filled(editor, withdrawn, OWN) if withdrawn else _started(editor, start)


def posted_editor(data: QueryDict) -> Editor:
    """Return the editor as posted, after what the pressed button (``then``) does to its fields.

    A limit that a party would refuse is a fault too: ``data_holder`` says which of its limits.
    """
    editor = _posted(data)
    if editor.terms is None:
        return editor
    fault = engine_policies.judge_limit(editor.terms, data.get("data_holder", ""))
    return replace(editor, faults={fault.where: fault.sentence}, terms=None) if fault else editor


def _posted(data: QueryDict) -> Editor:
    raw = data.get("about")
    about = AboutFields.posted(data) if raw is None else None
    asked = about.to_json() if about else _read_about(raw or "")
    start = data.get("start", OWN)
    editor = Editor.of(PolicyFields.posted(data), asked, about, start)
    then = data.get("then", "")
    if then == "start":
        return _started(editor, start)
    if then == "load":
        return _loaded(editor, _read_object(data.get("policy", "")))
    if then == "add_criterion":
        rows = (*editor.fields.criteria, CriterionRow())
        return replace(editor, fields=replace(editor.fields, criteria=rows))
    if then == "add_attribute" and about:
        rows_asked = (*about.attributes, AttributeRow())
        return replace(editor, about=replace(about, attributes=rows_asked))
    return editor


def policy_editor(role: Role) -> View:
    """Return the view that answers the editor's script with its fields and what they mean."""

    @member_action(role)
    def view(request: HttpRequest) -> HttpResponse:
        return render(
            request, "partials/policy_editor.html", {"editor": posted_editor(request.POST)}
        )

    return view


def _started(editor: Editor, start: str) -> Editor:
    """Fill the fields from a preset or a published policy; an unknown start changes nothing."""
    preset = next((one for one in engine_policies.PRESETS if one.name == start), None)
    if preset is not None:
        fields = editor.fields.started(preset)
        return Editor.of(fields, editor.about_terms, editor.about, start)
    policy = policy_in_force(start)
    return _filled(editor, policy, start) if policy else replace(editor, start=OWN)


def _filled(editor: Editor, policy: PublishedPolicy, start: str) -> Editor:
    """Fill the fields from what a regulator published; ``start`` is shown as chosen."""
    terms = terms_of_policy(policy)
    about = AboutFields.of(terms)
    names = [attribute.name for attribute in terms.attributes]
    fields = PolicyFields.of(terms.policy.to_json(), names, str(terms.question_bits_limit))
    return Editor.of(fields, about.to_json(), about if editor.about else None, start)


def _loaded(editor: Editor, policy: Mapping[str, Any]) -> Editor:
    """Fill the fields from a policy that a file holds."""
    names = names_of(editor.about_terms)
    fields = PolicyFields.of(policy, names, editor.fields.question_bits_limit)
    return Editor.of(fields, editor.about_terms, editor.about)


def _read_about(text: str) -> dict[str, Any]:
    """Return what people are asked and what is decided, of a form that edits them elsewhere."""
    value = _read_object(text)
    asked, label = value.get("attributes"), value.get("label")
    return {
        "attributes": asked if isinstance(asked, list) else [],
        "label": label if isinstance(label, dict) else {},
    }


def _read_object(text: str) -> dict[str, Any]:
    """Return the object of a JSON text; an empty one for anything else."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        return {}
    return value if isinstance(value, dict) else {}
