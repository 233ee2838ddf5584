"""What makes a closing's end final at both parties and the site, and leaves nothing behind.

With each of these taken out a study waits for ever, takes answers that nobody closes, or leaves on
a disk what its people were told is gone.
"""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_PARTS = "tests/engine/party/test_closing_parts.py"
_BOUND = "tests/engine/party/test_closing_bound.py"
_LEFTOVERS = "tests/engine/party/test_closing_leftovers.py"
_RESYNCHRONISE = "tests/web/test_resynchronise.py"
_WORDS = "tests/web/test_closing_words.py"
_PARTS_FILE = "mpc_engine/party/jobs/closing_parts.py"
_TAKEOVER = "tests/engine/party/test_ledger_takeover.py"
_STORE = "tests/engine/party/test_store.py"
_KEYS = "mpc_engine/party/services/study_keys.py"
_WORKER = "mpc_engine/party/worker/celery_worker.py"
_STATES = "mpc_engine/party/studies/closing_states.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "closing-other-run-ended",
        "the modeler's word ends no cohort of another run than it names",
        _PARTS_FILE,
        "        if held.run != peer_holds or held.state not in",
        "        if held.state not in",
        f"{_PARTS}::test_a_closed_study_is_not_ended_by_the_other_partys_word[other run]",
    ),
    Mutant(
        "closing-bound-only-once-met",
        "a party that a closing binds says so wherever its attempt failed",
        "mpc_engine/party/jobs/closing.py",
        "        return self._bound or error",
        "        return error",
        f"{_BOUND}::test_a_party_that_is_bound_says_so_where_the_hello_is_cut",
    ),
    Mutant(
        "closing-unended-without-a-row",
        "a party that holds nothing of a closing ends it at the other one's word",
        _PARTS_FILE,
        "        if held is None:\n            return True",
        "        if held is None:\n            return False",
        f"{_BOUND}::test_a_party_that_has_opened_nothing_ends_at_the_others_word"
        "[regulator-nothing]",
    ),
    Mutant(
        "closing-unended-for-another-run",
        "a modeler that has opened nothing ends at the regulator's word, whatever run it names",
        _PARTS_FILE,
        "            return held.state is ClosingState.KEPT",
        "            return held.state is ClosingState.KEPT and held.run == peer_holds",
        f"{_BOUND}::test_a_party_that_has_opened_nothing_ends_at_the_others_word"
        "[modeler-another run]",
    ),
    Mutant(
        "closing-ends-all-or-none",
        "an overdue closing that can't be ended keeps no other one back",
        _STATES,
        '            log_once(_log, "an overdue closing is not ended yet", error)',
        "            raise",
        f"{_BOUND}::test_an_overdue_closing_that_cannot_be_ended_keeps_no_other_back",
    ),
    Mutant(
        "closing-log-kept-at-a-word",
        "what the other party's word ended leaves the log with its attempt",
        "mpc_engine/party/jobs/closing.py",
        "        renew_noted_keys(self.party)\n        self.party.database.forget_deleted()",
        "        renew_noted_keys(self.party)",
        f"{_LEFTOVERS}::test_what_ends_by_the_others_word_leaves_the_log_with_its_attempt",
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
        f"{_LEFTOVERS}::test_what_a_reader_kept_in_the_log_goes_with_the_next_flush",
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
        _WORKER,
        "            lambda: renew_noted_keys(party),\n",
        "",
        f"{_LEFTOVERS}::test_the_key_goes_where_a_process_died_after_the_study_was_over[ended]",
    ),
    Mutant(
        "closing-key-unnoted-at-its-end",
        "the transaction that ends a closing notes that the study's key goes",
        _STATES,
        "    move_closing(connection, study_id, before, state)\n    note_key_to_destroy",
        "    move_closing(connection, study_id, before, state)\n    (lambda *_: None)",
        f"{_LEFTOVERS}::test_the_key_goes_where_a_process_died_after_the_study_was_over[ended]",
    ),
    Mutant(
        "closing-key-unnoted-at-closing",
        "the transaction that closes a study notes that its key goes",
        _PARTS_FILE,
        "        note_key_to_destroy(connection, party.role, study_id)\n",
        "",
        f"{_LEFTOVERS}::test_the_key_goes_where_a_process_died_after_the_study_was_over[closed]",
    ),
    Mutant(
        "closing-key-forgotten-before-destroyed",
        "that a key is to go stays noted until it is gone",
        _KEYS,
        "    party.keys.destroy_study_key(study_id, key_id)\n    with",
        "    with party.database.transaction() as connection:\n"
        '        connection.execute("DELETE FROM keys_to_destroy")\n'
        "    party.keys.destroy_study_key(study_id, key_id)\n    with",
        f"{_LEFTOVERS}::test_a_key_that_could_not_be_destroyed_is_tried_again",
    ),
    Mutant(
        "closing-key-replaced-first",
        "an old key goes also where a full disk has no room for a new one",
        _KEYS,
        "    party.keys.destroy_study_key(study_id, key_id)\n    with",
        "    with",
        f"{_LEFTOVERS}::test_where_no_new_key_can_be_made_the_old_one_goes_and_no_file_is_left"
        "[before its transaction is done]",
        also=(
            (
                '            "DELETE FROM keys_to_destroy WHERE study_id = ? AND key_id = ?", '
                "(study_id, key_id)\n        )\n",
                '            "DELETE FROM keys_to_destroy WHERE study_id = ? AND key_id = ?", '
                "(study_id, key_id)\n        )\n"
                "    party.keys.destroy_study_key(study_id, key_id)\n",
            ),
        ),
    ),
    Mutant(
        "closing-fresh-key-left",
        "a key whose transaction failed leaves no file behind",
        _KEYS,
        "            if key_id != kept:",
        "            if False:",
        f"{_LEFTOVERS}::test_where_no_new_key_can_be_made_the_old_one_goes_and_no_file_is_left"
        "[before its transaction is done]",
    ),
    Mutant(
        "closing-unfinished-key-left",
        "a key that could not be written leaves no unfinished file behind",
        "mpc_engine/party/zone/private_files.py",
        "            destroy(fresh)\n        finally:\n            fresh.unlink(missing_ok=True)",
        "            pass\n        finally:\n            pass",
        f"{_LEFTOVERS}::test_where_no_new_key_can_be_made_the_old_one_goes_and_no_file_is_left"
        "[writing the key]",
    ),
    Mutant(
        "closing-log-not-flushed",
        "the worker empties the log of what was deleted while somebody read",
        _WORKER,
        "            party.database.forget_noted,\n",
        "",
        f"{_LEFTOVERS}::test_what_a_reader_kept_in_the_log_goes_with_the_next_flush",
    ),
    Mutant(
        "closing-flush-all-or-nothing",
        "a duty of the worker that fails keeps none of the others back",
        _WORKER,
        '                _log.warning("upkeep failed: %s", as_engine_error(error).code)\n',
        "                raise\n",
        f"{_LEFTOVERS}::test_a_duty_that_fails_keeps_no_other_back",
    ),
    Mutant(
        "store-emptying-waits",
        "nobody waits for a reader that keeps the log from being emptied",
        "mpc_engine/party/zone/database.py",
        '        connection.execute("PRAGMA busy_timeout = 0")\n',
        "",
        f"{_STORE}::test_whoever_empties_the_log_waits_for_nobody",
    ),
    Mutant(
        "store-emptying-fails-who-decided",
        "what fails where the log is emptied is no error of who decided before",
        "mpc_engine/party/zone/database.py",
        "        except sqlite3.OperationalError:\n            return False\n",
        "        except ZeroDivisionError:\n            return False\n",
        f"{_STORE}::test_a_store_in_which_somebody_writes_keeps_the_note",
    ),
    Mutant(
        "closing-forgotten-by-the-site",
        "a restored site takes no answers in a study that a party has ended or closed",
        "blindjustice_web/studies/services.py",
        "        note_bound(study)\n    if study",
        "    if study",
        f"{_RESYNCHRONISE}::test_the_key_of_an_end_that_the_site_forgot_closes_the_study_for_answers",
    ),
    Mutant(
        "closing-bound-party-passed-over",
        "a restored site takes no answers in a study whose closing binds a party",
        "blindjustice_web/studies/held_studies.py",
        "    elif standings != {standing.OPEN}:",
        "    elif False:",
        f"{_RESYNCHRONISE}::test_a_closing_that_binds_one_party_alone_has_the_study_wait[WAITS]",
    ),
    Mutant(
        "closing-set-back-into-a-closing",
        "a site set back into a closing does not open a study again that a later one ended",
        "blindjustice_web/studies/services.py",
        "    elif study.state in {StudyState.CLOSING, StudyState.WAITING}:",
        "    elif study.state == StudyState.WAITING:",
        f"{_RESYNCHRONISE}::test_a_site_set_back_into_a_closing_does_not_open_the_study_again[key]",
    ),
    Mutant(
        "closing-held-word-of-before",
        "a stored word that this version can't read keeps no study from coming back",
        "blindjustice_web/engine/engine_post.py",
        "        return stored_message(body, kind)\n    except EngineError:",
        "        return stored_message(body, kind)\n    except ZeroDivisionError:",
        f"{_RESYNCHRONISE}::test_a_word_that_this_version_cannot_read_is_none",
    ),
    Mutant(
        "closing-words-at-once",
        "of two parties' words that come at once the second is looked at with the first",
        "blindjustice_web/studies/held_studies.py",
        '    study = Study.objects.select_for_update(of=("self",)).filter(pk=study_id).first()',
        "    study = Study.objects.filter(pk=study_id).first()",
        f"{_RESYNCHRONISE}::test_of_two_words_at_once_the_second_is_looked_at_with_the_first",
    ),
    Mutant(
        "closing-charged-after-its-end",
        "no question is charged to a cohort that the modeler's word ended meanwhile",
        "mpc_engine/party/ledger/asking.py",
        "            cohorts.require_closed(connection, self._question.study_id)\n",
        "",
        f"{_TAKEOVER}::test_nothing_is_charged_to_a_cohort_that_was_ended_meanwhile[_charge]",
    ),
    Mutant(
        "closing-entry-taken-after-its-end",
        "no other party's entry is taken over for a cohort that was ended meanwhile",
        "mpc_engine/party/ledger/asking.py",
        "            cohorts.require_closed(connection, entry.study_id)\n",
        "",
        f"{_TAKEOVER}::test_nothing_is_charged_to_a_cohort_that_was_ended_meanwhile[_take_entry]",
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
