"""What keeps a question that was opened from being asked a second time."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_ENDS = "mpc_engine/party/jobs/ends.py"
_TESTS = "tests/engine/party/test_ends.py"
_BATCHES = "tests/engine/party/test_batch_ends.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "asked-anew-after-opening",
        "once the decoding bits may have left, the end is delivered again and no session begun",
        _ENDS,
        "        if kept is not None and kept.run == peer_holds and kept.content:",
        "        if kept is not None and kept.run == peer_holds and not peer_holds:",
        f"{_TESTS}::test_an_opened_certification_is_delivered_again_and_charged_once"
        "[LABELS_OPENING]",
    ),
    Mutant(
        "asked-anew-by-whoever-lost-it",
        "a modeler that answered a question answers it in no fresh session",
        _ENDS,
        "            opened = answered or bool(peer_holds)",
        "            opened = bool(peer_holds)",
        f"{_TESTS}::test_a_question_whose_end_one_party_lost_is_not_asked_anew[regulator]",
    ),
    Mutant(
        "other-question-meanwhile",
        "no other question about the same people is opened while one is not answered",
        _ENDS,
        "        if self._is_regulator and EndState.KEPT in states:",
        "        if False:",
        f"{_TESTS}::test_no_other_question_is_asked_of_people_while_one_is_opened",
    ),
    Mutant(
        "refusal-forgotten",
        "a refusal is final: the question is not asked again",
        _ENDS,
        "        if state is EndState.REFUSED:",
        "        if False:",
        f"{_TESTS}::test_a_refusal_is_final_and_counts",
    ),
    Mutant(
        "undelivered-for-ever",
        "an answer that does not come ends the question, charged, and blames nobody",
        _ENDS,
        "    latest = format_time(party.now() - DELIVERY_LIMIT)",
        "    latest = format_time(party.now() - 100 * DELIVERY_LIMIT)",
        f"{_TESTS}::test_an_answer_that_does_not_come_in_time_is_undelivered_and_blames_nobody",
    ),
    Mutant(
        "two-questions-at-once",
        "of two jobs that run at once one opens its question",
        _ENDS,
        "            self._require_others_answered(connection)\n            gone =",
        "            gone =",
        f"{_TESTS}::test_of_two_jobs_at_once_one_opens_its_question",
    ),
    Mutant(
        "two-batches-at-once",
        "of two batches with one case the modeler answers one",
        _ENDS,
        "            self._require_others_answered(connection)\n            changed =",
        "            changed =",
        f"{_BATCHES}::test_of_two_batches_at_once_the_modeler_answers_one",
    ),
    Mutant(
        "people-of-another-study",
        "people whom the ledger knows to be the same count as the same",
        _ENDS,
        '(row["study_id"], row["about"]) in same',
        "not same",
        f"{_TESTS}::test_people_are_the_same_in_another_study_where_the_ledger_knows_them[True]",
    ),
    Mutant(
        "answered-end-dropped",
        "a verdict that one party recorded is delivered to the other, and not asked anew",
        "mpc_engine/party/jobs/certification.py",
        "        self._ends.note_answered(connection, is_settled=signed is not None)",
        "        self._ends.note_answered(connection, is_settled=True)",
        f"{_TESTS}::test_a_verdict_that_only_the_regulator_recorded_is_delivered_and_not_asked_anew",
    ),
    Mutant(
        "charged-anew-with-an-answer",
        "a question that one party has the answer to is not charged anew",
        "mpc_engine/party/ledger/asking.py",
        "            if own.answer is not None or peer.answer_digest:",
        "            if False:",
        "tests/engine/party/test_ledger.py"
        "::test_a_question_that_one_party_has_the_answer_to_is_not_charged_anew[regulator]",
    ),
    Mutant(
        "late-answer-overrides",
        "a question that was closed as undelivered stays so",
        _ENDS,
        "        self._require_undecided(connection)\n        if self._is_regulator:",
        "        if self._is_regulator:",
        f"{_TESTS}::test_an_answer_that_comes_as_its_deadline_passes_changes_nothing[fails]",
    ),
    Mutant(
        "order-makes-another-batch",
        "a batch is the same in whichever order a job names it",
        "mpc_engine/party/jobs/verification.py",
        "        self._challenges = sorted(self.spec.challenges)",
        "        self._challenges = list(self.spec.challenges)",
        f"{_BATCHES}::test_a_batch_is_the_same_in_whichever_order_it_is_asked",
    ),
    Mutant(
        "anything-blames-the-modeler",
        "only the modeler's signed word blames it",
        _ENDS,
        "        if self._is_regulator and isinstance(error, RefusedError):",
        "        if self._is_regulator and error.code:",
        f"{_BATCHES}::test_what_the_modeler_did_not_sign_blames_nobody",
    ),
)
