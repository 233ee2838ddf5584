"""What holds after clocks were wrong, a store was set back, or a broker lost what it held."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_RESYNCHRONISE = "tests/web/test_resynchronise.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "an-older-key-replaces-the-newer",
        "of a party's sealing keys the one with the highest number is handed out",
        "blindjustice_web/studies/services.py",
        "    if study.keys.filter(role=role, number__gt=number).exists():",
        "    if False:",
        "tests/web/test_study_keys.py::test_no_clock_tells_which_key_is_newer",
    ),
    Mutant(
        "brought-back-on-one-word",
        "a study that the site forgot comes back only where both parties say the same of it",
        "blindjustice_web/studies/held_studies.py",
        "    if len(words) < len(Role) or words[0].configuration != words[1].configuration:",
        "    if False:",
        f"{_RESYNCHRONISE}::test_nothing_is_brought_back_on_one_party_s_word",
    ),
    Mutant(
        "closed-on-one-word",
        "a study counts as closed again only where both parties name the same cohort",
        "blindjustice_web/studies/held_studies.py",
        "    cohort = words[0].cohort if words[0].cohort == words[1].cohort else None",
        "    cohort = words[0].cohort",
        f"{_RESYNCHRONISE}::test_parties_that_disagree_on_the_cohort_close_nothing",
    ),
    Mutant(
        "certificate-on-the-modeler-s-word",
        "a certificate that the site lost comes back on the regulator's word only",
        "blindjustice_web/certificates/held_certificates.py",
        "        if certificate is None and message.role.value == Role.REGULATOR:",
        "        if certificate is None:",
        f"{_RESYNCHRONISE}::test_a_certificate_comes_back_on_the_regulator_s_word_alone",
    ),
    Mutant(
        "destroyed-key-not-answered",
        "a party that refuses a seal for its destroyed key announces the present one",
        "mpc_engine/party/worker/receive.py",
        "    if refusal.code == KEY_RETIRED:",
        "    if False:",
        "tests/engine/party/test_resynchronise.py"
        "::test_a_seal_for_a_destroyed_key_is_answered_with_the_present_one",
    ),
    Mutant(
        "result-lost-with-the-broker",
        "an order to run an attempt is sent again until its result came, though it made progress",
        "mpc_engine/control/post/exchanges/about_jobs.py",
        "    answered_by=(JobResult,),",
        "    answered_by=(JobProgress, JobResult),",
        "tests/web/test_outbox.py::test_a_result_that_the_broker_lost_is_asked_for_again",
    ),
    Mutant(
        "result-told-once",
        "a party tells the result of an ended attempt again when the order for it comes again",
        "mpc_engine/party/jobs/runner.py",
        "    if tell_again(party, spec.job_id, order.attempt):",
        "    if False:",
        "tests/engine/party/test_closing_job.py::test_a_redelivered_attempt_changes_nothing",
    ),
    Mutant(
        "store-of-another-version",
        "a party does not start on a store whose tables are another version's",
        "mpc_engine/party/zone/database.py",
        "            if version != SCHEMA_VERSION and not is_new:",
        "            if False:",
        "tests/engine/party/test_store.py"
        "::test_a_store_of_another_version_is_refused_and_left_alone",
    ),
)
