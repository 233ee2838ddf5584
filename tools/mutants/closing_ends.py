"""What makes a closing's end final at both parties and the site, and leaves nothing behind.

With each of these taken out a study waits for ever, takes answers that nobody closes, or leaves on
a disk what its people were told is gone.
"""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_PARTS = "tests/engine/party/test_closing_parts.py"
_LEFTOVERS = "tests/engine/party/test_closing_leftovers.py"
_RESYNCHRONISE = "tests/web/test_resynchronise.py"
_WORDS = "tests/web/test_closing_words.py"
_PARTS_FILE = "mpc_engine/party/jobs/closing_parts.py"
_STATES = "mpc_engine/party/studies/closing_states.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "closing-other-run-ended",
        "a party's word ends the run that it names, and no other",
        _PARTS_FILE,
        "        if held is None or held.run != peer_holds or not",
        "        if held is None or not",
        f"{_PARTS}::test_a_closed_study_is_not_ended_by_the_other_partys_word[other run]",
    ),
    Mutant(
        "closing-committed-for-ever",
        "a part that the regulator committed to ends at a public deadline, too",
        _STATES,
        "    waiting = ClosingState.OPENED if party.role is Role.MODELER else ClosingState.KEPT",
        "    waiting = ClosingState.OPENED",
        f"{_PARTS}::test_a_regulator_that_hears_no_more_of_a_run_ends_it_in_time",
    ),
    Mutant(
        "closing-unfinished-part-kept",
        "of a part of which nothing goes out again nothing is kept",
        _STATES,
        "    if state is ClosingState.UNFINISHED:\n        _forget_part",
        "    if False:\n        _forget_part",
        f"{_LEFTOVERS}::test_a_part_of_which_nothing_goes_out_again_is_empty[modeler]",
    ),
    Mutant(
        "closing-deletion-unnoted",
        "what an end deletes leaves the store's log also where somebody reads meanwhile",
        "mpc_engine/party/zone/database.py",
        "        if _last_deletion(self._connection()):",
        "        if False:",
        f"{_LEFTOVERS}::test_no_file_keeps_what_an_end_deletes_whoever_reads_meanwhile[modeler]",
        shows="the log has what was deleted",
    ),
    Mutant(
        "closing-log-emptied-late",
        "the log is emptied once a closing is decided, whatever becomes of the process then",
        _PARTS_FILE,
        "        self._run.party.database.forget_deleted()\n        return ended",
        "        return ended",
        f"{_LEFTOVERS}::test_an_end_is_forgotten_before_its_attempt_is_reported",
    ),
    Mutant(
        "closing-key-outlives-process",
        "a study's key goes also where a process died after the closing was decided",
        "mpc_engine/party/worker/celery_worker.py",
        "                renew_closed_study_keys(self.party())\n        except",
        "                pass\n        except",
        f"{_LEFTOVERS}::test_the_key_goes_where_a_process_died_after_the_study_ended",
    ),
    Mutant(
        "closing-forgotten-by-the-site",
        "a restored site takes no answers in a study that a party has ended or closed",
        "blindjustice_web/studies/services.py",
        "        let_wait(study)\n        ask_to_resynchronise()",
        "        ask_to_resynchronise()",
        f"{_RESYNCHRONISE}::test_the_key_of_an_end_that_the_site_forgot_closes_the_study_for_answers",
    ),
    Mutant(
        "closing-bound-party-passed-over",
        "a restored site takes no answers in a study whose closing binds a party",
        "blindjustice_web/studies/held_studies.py",
        "    elif study.state == StudyState.OPEN and standings",
        "    elif False and standings",
        f"{_RESYNCHRONISE}::test_a_closing_that_binds_one_party_alone_has_the_study_wait[WAITS]",
    ),
    Mutant(
        "closing-waits-once",
        "a study that waits takes no answers until a closing is done",
        "blindjustice_web/studies/services.py",
        "        study.waits or any(",
        "        any(",
        f"{_WORDS}::test_a_study_that_waits_does_so_until_a_closing_is_done",
    ),
)
