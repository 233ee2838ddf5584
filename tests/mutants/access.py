"""Whom the site believes, and who gets what from it."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

_MATRIX = "tests/web/test_access_matrix.py::test_everybody_gets_what_the_matrix_says"
_JOBS = "tests/web/test_jobs.py"
_MESSAGES = "tests/web/test_messages.py"
_CERTIFICATES = "tests/web/test_certificates.py"
_CHALLENGES = "tests/web/test_challenges.py"
_STUDIES = "tests/web/test_studies.py"
_STUDY_ACCESS_FILE = "blindjustice_web/studies/access.py"
_SEQUENCER_FILE = "blindjustice_web/jobs/sequencer.py"
_CERTIFICATES_FILE = "blindjustice_web/certificates/services.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "studies-of-others-shown",
        "a member sees the studies of her own organisation only",
        _STUDY_ACCESS_FILE,
        "        return studies.filter(modeler=membership.organisation)",
        "        return studies",
        _MATRIX,
    ),
    Mutant(
        "roles-interchangeable",
        "what one role may do with a study, the other may not",
        _STUDY_ACCESS_FILE,
        "    if role != wanted:",
        "    if False:",
        _MATRIX,
    ),
    Mutant(
        "portals-open",
        "a portal's pages are there for members in its role only",
        "blindjustice_web/portals/pages.py",
        "            if role_of(user_of(request)) != role:",
        "            if False:",
        _MATRIX,
    ),
    Mutant(
        "personal-pages-open",
        "a person's pages need a log-in",
        "blindjustice_web/portals/pages.py",
        "never_cache(login_required(public_page(view)))",
        "never_cache(public_page(view))",
        _MATRIX,
    ),
    Mutant(
        "unapproved-studies-public",
        "a study nobody approved does not exist for people",
        _STUDY_ACCESS_FILE,
        "studies.filter(pk=study_id, configuration__approved_at__isnull=False)",
        "studies.filter(pk=study_id)",
        "tests/web/test_enrolment.py::test_a_study_nobody_approved_does_not_exist_for_people",
    ),
    Mutant(
        "cases-of-others-shown",
        "a case is shown to its owner and its regulator",
        "blindjustice_web/challenges/access.py",
        "    may_see = Q(owner=user)",
        "    may_see = Q()",
        f"{_CHALLENGES}::test_a_person_can_not_see_another_s_case",
    ),
    Mutant(
        "outcomes-told-to-the-modeler",
        "a modeler does not read the outcomes of people's cases",
        "blindjustice_web/jobs/access.py",
        "    if job.kind == JobKind.VERIFICATION and role == Role.MODELER:",
        "    if False:",
        f"{_JOBS}::test_modeler_does_not_read_outcomes_of_cases",
    ),
    Mutant(
        "csrf-token-unneeded",
        "a write with a log-in needs the token of the session",
        "blindjustice_web/api/app.py",
        "    auth=django_auth,",
        "    auth=type(django_auth)(csrf=False),",
        "tests/web/test_api_errors.py::test_a_missing_csrf_token_is_refused",
    ),
    Mutant(
        "defect-told",
        "a defect of the site says nothing about itself",
        "blindjustice_web/api/errors.py",
        '            _("Something went wrong on our side."),',
        "            str(error),",
        "tests/web/test_api_errors.py::test_a_defect_says_nothing_about_itself",
    ),
    Mutant(
        "inline-scripts-run",
        "scripts come from the site or carry the nonce of the response",
        "blindjustice_web/config/csp.py",
        '        "script-src": [SELF, NONCE],',
        '        "script-src": [SELF, NONCE, "\'unsafe-inline\'"],',
        "tests/web/test_headers.py::test_scripts_come_from_here_or_carry_the_nonce",
    ),
    Mutant(
        "party-speaks-for-the-other",
        "a party is heard on its own matters only",
        "blindjustice_web/jobs/inbox.py",
        "    if handler is None or not _may_say(message):",
        "    if handler is None:",
        f"{_MESSAGES}::test_the_regulator_does_not_speak_of_models",
    ),
    Mutant(
        "message-replayed",
        "a party's message is acted upon once",
        "blindjustice_web/jobs/inbox.py",
        "        if not fresh:",
        "        if False:",
        f"{_MESSAGES}::test_a_message_is_acted_upon_once",
    ),
    Mutant(
        "site-approval-unchecked",
        "the site takes an approval only under a published approver's key",
        "blindjustice_web/studies/approvals.py",
        "    engine_client.check_approval(proposal.kind, proposal.text, role, key_id, signature)\n",
        "",
        f"{_STUDIES}::test_an_approval_is_checked_against_the_published_keys",
    ),
    Mutant(
        "site-one-approval-enough",
        "one organisation's approval starts nothing",
        "blindjustice_web/studies/approvals.py",
        "    complete = proposal.approvals.count() == len(Role)",
        "    complete = proposal.approvals.count() >= 1",
        f"{_STUDIES}::test_one_approval_is_not_enough",
    ),
    Mutant(
        "two-jobs-at-once",
        "one job runs at a time, whatever processes start at one moment",
        "blindjustice_web/jobs/migrations/0001_initial.py",
        '                condition=models.Q(("state", "RUNNING")),',
        '                condition=models.Q(("state", "NEVER")),',
        f"{_JOBS}::test_the_database_refuses_a_second_running_job",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "parties-contradict",
        "a job is done only if both parties report the same outcome",
        _SEQUENCER_FILE,
        "        if first != second:",
        "        if False:",
        f"{_JOBS}::test_different_outcomes_fail_the_job",
    ),
    Mutant(
        "failed-check-retried",
        "a failed check is never tried again: it would give a cheat another guess",
        _SEQUENCER_FILE,
        "        again = all(code in RETRIED_CODES for code, _sentence in failures)",
        "        again = True",
        f"{_JOBS}::test_a_failed_check_is_not_tried_again",
    ),
    Mutant(
        "earlier-attempt-counts",
        "a report on an earlier attempt changes nothing",
        _SEQUENCER_FILE,
        '    return job if message.integer("attempt") == job.attempt else None',
        "    return job",
        f"{_JOBS}::test_a_report_on_an_earlier_attempt_changes_nothing",
    ),
    Mutant(
        "silence-without-end",
        "a job whose parties are silent ends at its deadline",
        _SEQUENCER_FILE,
        "        state=JobState.RUNNING, deadline__lt=timezone.now()",
        "        state=JobState.RUNNING, deadline__isnull=True",
        f"{_JOBS}::test_silence_ends_at_the_deadline",
    ),
    Mutant(
        "case-without-end",
        "a case whose deadline passes is NOT_ANSWERED",
        "blindjustice_web/challenges/services.py",
        "        state__in=WAITING, deadline__lt=timezone.now()",
        "        state__in=WAITING, deadline__isnull=True",
        f"{_CHALLENGES}::test_a_deadline_that_passes_answers_not_answered",
    ),
    Mutant(
        "certificate-of-other-records",
        "the site shows a certificate only for the agreed verdict and records",
        _CERTIFICATES_FILE,
        "    if not fits:",
        "    if False:",
        f"{_CERTIFICATES}::test_a_certificate_for_other_records_is_refused",
    ),
    Mutant(
        "one-signature-enough",
        "the site issues a certificate only with both parties' signatures",
        "blindjustice_web/jobs/engine_client.py",
        '            _hex(regulator_signature, SIGNATURE_BYTES, "regulator_signature"),\n'
        "            certificate.regulator_key,\n",
        '            _hex(modeler_signature, SIGNATURE_BYTES, "modeler_signature"),\n'
        "            certificate.modeler_key,\n",
        f"{_CERTIFICATES}::test_a_certificate_needs_both_signatures",
    ),
    Mutant(
        "model-judged-twice",
        "a model gets one verdict and one certificate for a cohort",
        _CERTIFICATES_FILE,
        "    if model.results.exists():",
        "    if False:",
        f"{_CERTIFICATES}::test_a_model_is_judged_once",
    ),
    Mutant(
        "demo-page-always-there",
        "only a demonstration has a page that names log-ins and drafts",
        "blindjustice_web/portals/public/demo_page.py",
        "    if not settings.DEMO:",
        "    if False:",
        "tests/web/test_demo_page.py::test_the_page_is_there_in_a_demonstration_only",
        shows="== 404",
    ),
    Mutant(
        "demonstration-deployed",
        "a demonstration is refused as a real installation",
        "blindjustice_web/config/checks.py",
        '    if settings.DEMO:\n        return [Error("A demonstration',
        '    if False:\n        return [Error("A demonstration',
        "tests/web/test_deployment.py::test_not_even_a_local_demonstration_can_be_deployed",
        shows="blindjustice.E008",
    ),
)
