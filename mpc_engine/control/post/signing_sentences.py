"""What an approver is about to sign, in plain rows: made from the same terms that are signed.

A row is a label and what it says. ``translate`` is gettext where a page shows them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from mpc_engine.control.policies.charge import certification_bits
from mpc_engine.control.policies.kind_sentence import kind_sentence
from mpc_engine.control.policies.policy import Policy
from mpc_engine.control.policies.policy_sentence import told_sentence
from mpc_engine.control.policies.sentence_parts import Translate
from mpc_engine.control.post.jobs import JobSpec
from mpc_engine.control.studies.configuration import Configuration
from mpc_engine.control.studies.constraint_words import (
    constraint_caveat,
    constraint_sentence,
    outcomes_told,
)
from mpc_engine.control.studies.training_terms import training_bits
from mpc_engine.roles import Role
from mpc_engine.vocabulary.runs import JobKind

Row = tuple[str, str]


@dataclass(frozen=True)
class Standing:
    """Where a study stands when something is put up: people, what was asked, bits left."""

    n_invited: int
    n_people: int
    """Held by both parties; once the study is closed, on its list."""
    bits_left: str
    n_asked: int
    """Models that were asked about, without the one that is put up."""


def configuration_rows(configuration: Configuration, translate: Translate) -> list[Row]:
    """Return what signing a study's configuration means."""
    _ = translate
    return [
        *_study_rows(configuration, translate),
        (_("People are invited by"), _party_name(configuration, configuration.inviter)),
        *_kind_rows(configuration, translate),
        (_("What is opened"), _opened_in(configuration, translate)),
        (
            _("What can’t be undone"),
            _("Nothing of it can be changed any more; people answer under these terms."),
        ),
    ]


def job_rows(
    spec: JobSpec,
    configuration: Configuration,
    models: Sequence[str],
    standing: Standing,
    translate: Translate,
) -> list[Row]:
    """Return what signing a closing, a certification or a training means.

    ``models``: the names of the models that it is about, of a training of those it will open.
    """
    _ = translate
    about: dict[JobKind, Callable[[], list[Row]]] = {
        JobKind.CLOSING: lambda: _closing_rows(standing, translate),
        JobKind.CERTIFICATION: lambda: _certification_rows(configuration, standing, translate),
        JobKind.TRAINING: lambda: _training_rows(spec, configuration, standing, translate),
    }
    names = [(_("Model"), name) for name in models]
    return [*names, *_study_rows(configuration, translate), *about[spec.kind]()]


def training_sentence(translate: Translate) -> str:
    """Return what a study in which models are trained opens, whatever its policy opens."""
    _ = translate
    return _(
        "This study trains models on all answers together and opens each of them whole to the "
        "modeler's party, until the bits that all answers may tell are used up. It certifies none."
    )


def _kind_rows(configuration: Configuration, translate: Translate) -> list[Row]:
    """Return of which kind a study is that certifies, and of how many models."""
    if configuration.data_holder is Role.MODELER:
        return []
    return [(translate("Kind of study"), kind_sentence(configuration.policy, translate))]


def _opened_in(configuration: Configuration, translate: Translate) -> str:
    if configuration.data_holder is Role.MODELER:
        return training_sentence(translate)
    return told_sentence(configuration.policy, translate)


def _study_rows(configuration: Configuration, translate: Translate) -> list[Row]:
    _ = translate
    named = {"title": configuration.title, "number": configuration.study_id.hex()[:8]}
    return [
        (_("Study"), _("%(title)s, number %(number)s") % named),
        (_("Purpose"), configuration.purpose),
        (_("Case data held by"), _party_name(configuration, configuration.data_holder)),
    ]


def _closing_rows(standing: Standing, translate: Translate) -> list[Row]:
    _ = translate
    held = _("Both parties hold the answers of %(n)s of %(all)s invited people.")
    return [
        (_("People"), held % {"n": standing.n_people, "all": standing.n_invited}),
        (_("What is opened"), _("Which of these answers are valid, to both parties; no answer.")),
        (
            _("What can’t be undone"),
            _(
                "Nobody can answer, or replace an answer, any more; both parties destroy the keys "
                "that the answers were sealed to."
            ),
        ),
    ]


def _certification_rows(
    configuration: Configuration, standing: Standing, translate: Translate
) -> list[Row]:
    _ = translate
    policy, n_people = configuration.policy, standing.n_people
    bits = certification_bits(policy, len(configuration.groups), n_people)
    return [
        _people_row(standing, translate),
        *_kind_rows(configuration, translate),
        (_("What is opened"), told_sentence(policy, translate)),
        (_("Models"), _number(policy, standing, translate)),
        (_("What it counts"), _charge(f"{bits:.1f}", standing, translate)),
        (
            _("What can’t be undone"),
            _("A verdict can’t be untold, and what it counts is not given back."),
        ),
    ]


def _training_rows(
    spec: JobSpec, configuration: Configuration, standing: Standing, translate: Translate
) -> list[Row]:
    _ = translate
    if spec.training is None:
        return []
    bits, n_models = training_bits(configuration, spec.training), len(spec.model_ids)
    constraint, fewest = spec.training.constraint, configuration.policy.minimum_answers
    opened = _(
        "Each model whole, all %(each)s bits of its coefficients, to the modeler's party alone. "
        "Both parties learn how often each is right on the rows that it trained on; the "
        "regulator's also learns, rounded, how large the modeler's values are at most."
    ) % {"each": bits // n_models}
    if constraint.depends_on_outcomes:
        opened = f"{opened} {outcomes_told(fewest, translate)}"
    kept_alike = (
        constraint_sentence(constraint, translate),
        constraint_caveat(constraint, fewest, translate),
    )
    return [
        _people_row(standing, translate),
        (_("What is kept alike"), " ".join(kept_alike)),
        (_("What is opened"), opened),
        (_("What it counts"), _charge(str(bits), standing, translate)),
        (
            _("What can’t be undone"),
            _(
                "An opened model stays with the modeler, whether it is certified or not, and what "
                "it counts is not given back."
            ),
        ),
    ]


def _people_row(standing: Standing, translate: Translate) -> Row:
    _ = translate
    people = _("The %(n)s on the closed list, of %(all)s who were invited.")
    return _("People"), people % {"n": standing.n_people, "all": standing.n_invited}


def _number(policy: Policy, standing: Standing, translate: Translate) -> str:
    counted = translate(
        "Other models that were asked about: %(n)s. With this one there may be %(most)s in all, "
        "refused and undelivered ones too."
    )
    return counted % {"n": standing.n_asked, "most": policy.questions}


def _charge(bits: str, standing: Standing, translate: Translate) -> str:
    counted = translate("%(bits)s of the %(left)s bits that are left in this study.")
    return counted % {"bits": bits, "left": standing.bits_left}


def _party_name(configuration: Configuration, role: Role) -> str:
    party = configuration.modeler if role is Role.MODELER else configuration.regulator
    return party.name
