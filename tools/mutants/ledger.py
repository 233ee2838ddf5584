"""What answers about one cohort may tell in all, and that both parties count alike."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_LEDGER = "tests/engine/party/test_ledger.py"
_TAKEOVER = "tests/engine/party/test_ledger_takeover.py"
_UNCHARGED = (
    "tests/engine/party/test_uncharged.py::test_nothing_is_charged_for_what_could_be_known_before"
)
_COHORTS = "tests/engine/party/test_ledger_cohorts.py"
_WORDS = "tests/web/test_questions.py"
_ASKING_FILE = "mpc_engine/party/ledger/asking.py"
_AGREEMENT_FILE = "mpc_engine/party/ledger/agreement.py"
_COHORTS_FILE = "mpc_engine/party/ledger/cohorts.py"
_ENTRIES_FILE = "mpc_engine/party/ledger/entries.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "questions-unlimited",
        "no question is asked past the study's limit of bits",
        _ASKING_FILE,
        "        if spent + charge > entries.limit_millibits(self._party, self._configuration):",
        "        if False:",
        f"{_LEDGER}::test_the_limit_of_the_study_ends_the_questions_at_both_parties",
    ),
    Mutant(
        "models-unlimited",
        "no model is asked about past the number that people read",
        _ASKING_FILE,
        "        if len(others) >= most:",
        "        if False:",
        f"{_LEDGER}::test_past_the_number_of_models_nothing_is_asked_at_both_parties",
    ),
    Mutant(
        "attempts-are-questions",
        "another attempt about the same model is no other question",
        _ASKING_FILE,
        "        if entries.charged_here(connection, question):",
        "        if False:",
        f"{_COHORTS}::test_the_same_people_in_another_study_share_one_number_of_models",
    ),
    Mutant(
        "taken-over-is-another-question",
        "a question that the other party alone charged may be asked here",
        _ASKING_FILE,
        " - {own}",
        "",
        f"{_TAKEOVER}::test_a_party_that_died_before_its_charge_takes_over_the_others",
    ),
    Mutant(
        "number-of-a-training-study",
        "the number of a study that trains, which nobody reads, limits no other one",
        _ENTRIES_FILE,
        " if study.data_holder is Role.REGULATOR]",
        "]",
        f"{_COHORTS}::test_a_study_that_trains_limits_no_other_study",
    ),
    Mutant(
        "entry-taken-over-asks",
        "an entry that was taken over lets nobody ask past the number",
        _ENTRIES_FILE,
        " AND model_id = ? AND NOT taken_over",
        " AND model_id = ?",
        f"{_TAKEOVER}::test_an_entry_that_was_taken_over_lets_nobody_ask_past_the_number",
    ),
    Mutant(
        "greater-number-holds",
        "the same people are asked about no more models than any of their studies says",
        _ENTRIES_FILE,
        "    return min(study.policy.questions",
        "    return max(study.policy.questions",
        f"{_COHORTS}::test_the_same_people_in_another_study_share_one_number_of_models",
    ),
    Mutant(
        "models-unchecked-before",
        "a model too many is refused before anything is sent",
        _ASKING_FILE,
        "        self._check(connection, charge + ahead_millibits)\n",
        "",
        f"{_COHORTS}::test_the_same_people_in_another_study_share_one_number_of_models",
    ),
    Mutant(
        "models-unchecked-at-charge",
        "of two jobs at once the one that would ask about a model too many is not charged",
        _ASKING_FILE,
        "            people, same = self._check(connection, charge)\n",
        "            people = cohorts.people_of(connection, self._question.study_id, ())\n"
        "            same: list[cohorts.SamePeople] = []\n",
        f"{_COHORTS}::test_of_two_certifications_at_once_one_is_asked_where_one_more_may_be",
    ),
    Mutant(
        "refused-models-uncounted",
        "a question counts whatever became of it",
        _ENTRIES_FILE,
        '    asked = "SELECT DISTINCT study_id, cohort, rule, model_id FROM questions '
        'WHERE kind = ?"',
        '    asked = "SELECT DISTINCT study_id, cohort, rule, model_id FROM questions"\n'
        "    asked += \" WHERE outcome NOT IN ('REFUSED', 'UNDELIVERED') AND kind = ?\"",
        f"{_LEDGER}::test_a_question_counts_whatever_became_of_it[REFUSED]",
    ),
    Mutant(
        "models-elsewhere-uncounted",
        "questions about exactly the same people in other studies count too",
        _ENTRIES_FILE,
        "        rows += connection.execute(",
        "        _ = connection.execute(",
        f"{_COHORTS}::test_the_same_people_in_another_study_share_one_number_of_models",
    ),
    Mutant(
        "models-too-many-signed",
        "a model too many is refused before anybody signs its certification",
        "blindjustice_web/certificates/standing.py",
        "        if model.id not in self.asked and len(self.asked) >= self.most_models:",
        "        if False:",
        f"{_WORDS}::test_a_certification_of_one_model_too_many_is_not_proposed",
    ),
    Mutant(
        "challenges-are-models",
        "a challenge in the line is no model that is asked about",
        "blindjustice_web/certificates/standing.py",
        "waits_or_runs.filter(kind=JobKind.CERTIFICATION)",
        "waits_or_runs",
        f"{_WORDS}::test_a_challenge_in_the_line_is_no_model_that_is_asked_about",
    ),
    Mutant(
        "operator-raises-limit",
        "an operator may allow less than the study, never more",
        _ENTRIES_FILE,
        "    return 1000 * min("
        "configuration.question_bits_limit, own_bits_limit(party, configuration))",
        "    return 1000 * own_bits_limit(party, configuration)",
        f"{_LEDGER}::test_an_operator_cannot_allow_more_than_the_study",
    ),
    Mutant(
        "clocks-after-charge",
        "clocks that would make a certificate fail are compared before the charge",
        "mpc_engine/party/line/handshake.py",
        "    if apart > limit:",
        "    if False:",
        f"{_UNCHARGED}[modeler-clock-ahead]",
    ),
    Mutant(
        "signing-key-after-charge",
        "another signing key than the study's is noticed before the charge",
        "mpc_engine/party/jobs/certification.py",
        "        self.require_signing_key()\n",
        "",
        f"{_UNCHARGED}[modeler-signing-key]",
    ),
    Mutant(
        "limit-above-party",
        "both parties refuse a study that names more bits than one of them allows",
        "mpc_engine/party/services/configurations.py",
        "    check_limits(configuration, (party.descriptor(), party.peer()))\n",
        "",
        "tests/engine/party/test_study_setup.py"
        "::test_both_refuse_a_limit_that_one_operator_does_not_allow",
    ),
    Mutant(
        "unpayable-signed",
        "a certification that the limit can't pay for is refused before anybody signs it",
        "blindjustice_web/certificates/standing.py",
        "        return self.unpayable\n",
        "        return None\n",
        "tests/web/test_certificates.py"
        "::test_a_certification_that_the_ledger_cannot_pay_for_is_not_proposed",
    ),
    Mutant(
        "aborted-run-free",
        "an aborted run is charged like any other, before its first message",
        _ENTRIES_FILE,
        '        "SELECT COALESCE(SUM(millibits), 0) FROM questions WHERE study_id = ?", '
        "(study_id,)",
        '        "SELECT COALESCE(SUM(millibits), 0) FROM questions WHERE study_id = ?"\n'
        "        \" AND outcome <> 'ABORTED'\",\n"
        "        (study_id,),",
        f"{_LEDGER}::test_the_limit_of_the_study_ends_the_questions_at_both_parties",
    ),
    Mutant(
        "charge-after-run",
        "a question is charged on disk before the first message of the protocol",
        _ASKING_FILE,
        "        self._charge(max(own.number, peer.number), "
        "is_paid=own.is_paid and peer.is_paid)\n",
        "",
        f"{_LEDGER}::test_a_question_is_charged_before_the_first_message_and_stays_charged",
    ),
    Mutant(
        "question-asked-again",
        "a repeated question is answered from the record and costs nothing",
        _ENTRIES_FILE,
        ' AND model_id = ? AND answer IS NOT NULL ORDER BY number DESC LIMIT 1",',
        ' AND model_id = ? AND answer IS NOT NULL AND 1 = 0 LIMIT 1",',
        f"{_LEDGER}::test_a_repeated_question_is_answered_from_the_record",
    ),
    Mutant(
        "ledgers-uncompared",
        "a party whose ledger was set back or altered gets no more answers",
        _AGREEMENT_FILE,
        "    if peer.head == own.head:",
        "    if True:",
        f"{_LEDGER}::test_an_altered_entry_is_refused_at_both_parties",
    ),
    Mutant(
        "foreign-entry-taken-over",
        "an entry is taken over only for an attempt that began here",
        _ASKING_FILE,
        "            if asked is None or not self._is_charge_of(connection, entry, asked):",
        "            if asked and not self._is_charge_of(connection, entry, asked):",
        f"{_TAKEOVER}::test_an_entry_of_an_attempt_that_never_began_here_is_not_taken_over",
    ),
    Mutant(
        "entry-at-any-charge",
        "an entry is taken over only if it is what this party was about to ask, at its charge",
        _ASKING_FILE,
        "            if asked is None or not self._is_charge_of(connection, entry, asked):",
        "            if asked is None:",
        f"{_TAKEOVER}::test_no_other_question_or_charge_than_the_own_is_taken_over",
    ),
    Mutant(
        "refused-stays-bookable",
        "what an ended attempt meant to ask and neither charged can't be booked later",
        _ASKING_FILE,
        "        if peer.head == own.head:",
        "        if False:",
        f"{_TAKEOVER}"
        "::test_what_was_refused_before_its_charge_is_forgotten_once_both_counted_alike",
    ),
    Mutant(
        "answers-uncompared",
        "two parties with different answers on record stop",
        _ASKING_FILE,
        "        if own.answer is not None and peer.answer_digest:",
        "        if False:",
        f"{_LEDGER}::test_parties_with_different_answers_on_record_stop",
    ),
    Mutant(
        "similar-cohort-asked",
        "no cohort is asked about that differs from an asked one by fewer than the floor",
        _COHORTS_FILE,
        '        elif n_other < max(floor, row["floor"]):',
        "        elif False:",
        f"{_COHORTS}"
        "::test_a_cohort_that_differs_by_fewer_than_the_floor_is_refused_at_both_parties",
    ),
    Mutant(
        "lower-floor-holds",
        "between two studies the greater floor holds",
        _COHORTS_FILE,
        'max(floor, row["floor"])',
        'min(floor, row["floor"])',
        f"{_COHORTS}::test_the_greater_floor_of_two_studies_holds",
    ),
    Mutant(
        "studies-counted-apart",
        "the same people in two studies share one count",
        _ENTRIES_FILE,
        "        total += part",
        "        total += 0 * part",
        f"{_COHORTS}::test_the_same_people_in_another_study_share_one_count",
    ),
)
