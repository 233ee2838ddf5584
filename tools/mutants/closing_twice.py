"""What keeps a party that deviates in a closing, whichever of the two, to one bit, once.

With each of these taken out an attacker of the tests wins: it reads people, drops whom it likes, or
gets another run, and with it another bit.
"""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_HOSTILE = "tests/engine/hostile/test_closing_twice.py"
_CLOSING = "tests/engine/protocols/test_closing.py"
_PARTS = "tests/engine/party/test_closing_parts.py"
_EQUALITY = "mpc_engine/protocols/closing/equality.py"
_PROTOCOL = "mpc_engine/protocols/closing/protocol.py"
_BOUND = "tests/engine/party/test_closing_bound.py"
_WORDS = "tests/web/test_closing_words.py"
_TIMING = "tests/engine/hostile/test_closing_timing.py"
_PARTS_FILE = "mpc_engine/party/jobs/closing_parts.py"
_STATES = "mpc_engine/party/studies/closing_states.py"
_COPIED = f"{_HOSTILE}::test_a_copied_commitment_and_its_opening_are_no_equality"
_CUT = f"{_PARTS}::test_a_line_cut_at_an_opening_sends_the_same_opening_again"

MUTANTS: tuple[Mutant, ...] = (
    *(
        Mutant(
            f"closing-unpromised-{deviator}",
            f"what the {deviator}'s tables put into labels does not get out by the opened hash",
            _EQUALITY,
            "    kept = are_promised(evaluated.labels, evaluated.promises, ctx.job_digest, "
            "ctx.role.peer)",
            f'    kept = bool("{deviator}")',
            f"{_HOSTILE}::test_answers_that_wrong_tables_put_into_labels_do_not_get_out"
            f"[{deviator}]",
            shows="the deviating party read everybody",
        )
        for deviator in ("modeler", "regulator")
    ),
    Mutant(
        "closing-broken-promise-told",
        "a broken promise looks like a disagreement, and is as final: it is no stop of its own",
        _EQUALITY,
        "    kept = are_promised(evaluated.labels, evaluated.promises, ctx.job_digest, "
        "ctx.role.peer)",
        "    from mpc_engine.garbling import require_promised as checked\n\n"
        "    checked(evaluated.labels, evaluated.promises, ctx.job_digest, ctx.role.peer)\n"
        "    kept = True",
        f"{_HOSTILE}::test_labels_under_random_offsets_end_as_a_disagreement[regulator]",
    ),
    Mutant(
        "closing-commitment-without-role",
        "a commitment of a closing is of one party: the other's copy opens for nobody",
        "mpc_engine/crypto/commitments.py",
        '    own = sha256(role.value.encode("ascii"))',
        '    own = sha256(b"any")',
        _COPIED,
        shows="the regulator read who chose category 2",
    ),
    Mutant(
        "closing-opening-unchecked",
        "what is opened is what was committed to",
        _EQUALITY,
        "        require_opening(part.peer_commitment, _COMMITTED, part.job_digest, role.peer, "
        "value, salt)",
        "        bytes(value + salt)",
        _COPIED,
        shows="the regulator read who chose category 2",
    ),
    Mutant(
        "closing-opened-first",
        "nobody opens before the other has committed",
        _EQUALITY,
        "        ctx.channel.send(tag, signed.signed(tag, commitment))\n"
        "        peer_commitment = signed.take(tag, COMMITMENT_BYTES)",
        "        ctx.channel.send(tag, signed.signed(tag, commitment))\n"
        "        ctx.channel.send(ProtocolTag.CLOSING_OPENING, value + part.salt)\n"
        "        peer_commitment = signed.take(tag, COMMITMENT_BYTES)",
        f"{_HOSTILE}::test_a_commitment_that_waits_for_the_other_opening_gets_none",
        shows="the regulator read who chose category 2",
    ),
    Mutant(
        "closing-unsalted",
        "a commitment tells nothing before it is opened: a fresh run is safe until then",
        _EQUALITY,
        "fresh_salt(ctx.rng), judged",
        "bytes(SALT_BYTES), judged",
        f"{_HOSTILE}::test_a_commitment_tells_nothing_before_it_is_opened",
        shows="the regulator knows before the opening",
    ),
    Mutant(
        "closing-disagreement-passed-over",
        "a cohort is closed only if both runs gave the same",
        _EQUALITY,
        "    if not replace(part, peer_opening=theirs).agrees:",
        "    if not theirs:",
        f"{_CLOSING}::test_nobody_can_call_a_valid_row_invalid[regulator]",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "closing-values-unhashed",
        "the outcome is part of what both hash",
        _EQUALITY,
        "lists, evaluated.values.tobytes(), *(labels[role] for role in Role))",
        "lists, label_bytes(evaluated.labels))",
        f"{_HOSTILE}::test_honest_parties_open_the_same_hash_and_close",
    ),
    Mutant(
        "closing-lists-uncompared",
        "lists and configuration are compared before anything runs",
        _PROTOCOL,
        "    if ctx.channel.recv(ProtocolTag.AGREED_RECORDS, size=len(lists)) != lists:",
        "    if not ctx.channel.recv(ProtocolTag.AGREED_RECORDS, size=len(lists)):",
        f"{_CLOSING}::test_parties_that_close_different_cohorts_close_none",
    ),
    Mutant(
        "closing-opened-unkept",
        "an opening is on disk before it leaves",
        _EQUALITY,
        "        terms.store.note_opening(replace(part, opening=message).encode())",
        "        channel.send(tag, message)\n"
        "        terms.store.note_opening(replace(part, opening=message).encode())",
        f"{_HOSTILE}::test_nothing_leaves_that_could_not_be_kept",
    ),
    Mutant(
        "closing-committed-unkept",
        "what is committed to is on disk before the commitment leaves",
        _EQUALITY,
        "        terms.store.keep(part.encode(), records)\n"
        "        ctx.channel.send(tag, signed.signed(tag, commitment))",
        "        ctx.channel.send(tag, signed.signed(tag, commitment))\n"
        "        terms.store.keep(part.encode(), records)",
        f"{_HOSTILE}::test_nothing_leaves_that_could_not_be_kept",
    ),
    Mutant(
        "closing-retried-after-opening",
        "after its opening left a party never runs the closing again",
        _PARTS_FILE,
        "        return self.state is not ClosingState.KEPT",
        "        return False",
        f"{_PARTS}::test_a_run_that_was_opened_is_never_followed_by_a_fresh_one",
        also=(
            (
                "                \"DELETE FROM closings WHERE study_id = ? AND state = 'KEPT'\", "
                "(study_id,)",
                '                "DELETE FROM closings WHERE study_id = ?", (study_id,)',
            ),
        ),
        shows="not noted.of(OPENING)",
    ),
    Mutant(
        "closing-settled-anew",
        "the run that both hold is settled with the same bytes, not run again",
        _PARTS_FILE,
        "        if held.run == peer_holds == self.held_run:",
        "        if False:",
        f"{_CUT}[1-KEPT]",
    ),
    Mutant(
        "closing-overtaken-run-opened",
        "of two runs that were kept the later one alone is opened",
        _PARTS_FILE,
        "                \" WHERE study_id = ? AND run = ? AND state = 'KEPT'\",\n"
        "                (format_time(party.now()), self._sealed(run, content), self._study_id, "
        "run),",
        "                \" WHERE study_id = ? AND state = 'KEPT'\",\n"
        "                (format_time(party.now()), self._sealed(run, content), self._study_id),",
        f"{_BOUND}::test_of_two_runs_that_are_kept_the_later_one_alone_is_opened",
    ),
    Mutant(
        "closing-reopened-after-opening",
        "a study whose closing was opened takes no answers",
        _STATES,
        "    if not _is_free(state, party.role):\n        return\n    if is_closed",
        "    if is_closed",
        f"{_CUT}[1-KEPT]",
    ),
    Mutant(
        "closing-waits-for-ever",
        "an opening that does not come ends the closing at a public deadline",
        _STATES,
        "    latest = (waiting, format_time(party.now() - OPENING_LIMIT))",
        "    latest = (waiting, format_time(party.now() - 9 * OPENING_LIMIT))",
        f"{_PARTS}::test_an_opening_that_does_not_come_in_time_ends_the_closing_at_both",
    ),
    Mutant(
        "closing-ended-by-word",
        "a party's word that a closing ended does not end a cohort of which something was asked",
        _PARTS_FILE,
        "        return asked is None",
        "        return True",
        f"{_PARTS}::test_a_closed_study_is_not_ended_by_the_other_partys_word[asked]",
    ),
    Mutant(
        "closing-nobody-valid-retried",
        "nobody valid is an outcome, and as final as any other",
        _PARTS_FILE,
        "            end_closing(connection, party.role, study_id, held.state, "
        "ClosingState.NOBODY_VALID)",
        "            connection.execute('DELETE FROM closings')",
        f"{_PARTS}::test_a_closing_with_nobody_valid_is_final_too",
    ),
    Mutant(
        "closing-answers-kept",
        "a closing that ended without a cohort leaves nobody's share behind",
        _STATES,
        '    for table in ("shares", "closed_records"):',
        '    for table in ("closed_records",):',
        f"{_PARTS}::test_a_disagreement_is_final_on_both_disks",
    ),
    Mutant(
        "closing-valid-alone-kept",
        "what is kept before the commitment leaves is as long whatever was evaluated",
        _PROTOCOL,
        "    compare_runs(ctx, terms, signed, value, judged, records)",
        "    compare_runs(\n        ctx, terms, signed, value, judged, "
        "records.select(evaluated.values.astype(bool))\n    )",
        f"{_TIMING}::test_the_same_is_kept_and_hashed_whatever_was_evaluated[regulator]",
    ),
    Mutant(
        "closing-broken-promise-hashed-less",
        "a broken promise takes the same work before the commitment leaves",
        _EQUALITY,
        "    labels = {\n        ctx.role: label_bytes(own",
        "    if not kept:\n        return ctx.rng.bytes(DIGEST_BYTES)\n"
        "    labels = {\n        ctx.role: label_bytes(own",
        f"{_TIMING}::test_the_same_is_kept_and_hashed_whatever_was_evaluated[modeler]",
    ),
    Mutant(
        "closing-regulator-reopens-early",
        "the regulator takes no answers while a run may be settled that lacks them",
        _STATES,
        "    return state is None or (state is ClosingState.KEPT and role is Role.MODELER)",
        "    return state is None or (state is ClosingState.KEPT and bool(role))",
        f"{_BOUND}::test_no_old_run_is_settled_after_the_regulator_took_an_answer",
        shows="an answer between two runs",
    ),
    Mutant(
        "closing-old-run-kept",
        "at the modeler's word that it holds nothing of a run the regulator forgets it",
        _PARTS_FILE,
        "        if self._run.party.role is Role.REGULATOR:\n            self._forget(held.run)",
        "        if False:\n            self._forget(held.run)",
        f"{_BOUND}::test_no_old_run_is_settled_after_the_regulator_took_an_answer",
    ),
    Mutant(
        "closing-decided-late",
        "the regulator, which holds both openings, decides before its own leaves",
        _PARTS_FILE,
        "            if party.role is Role.REGULATOR:\n                self._decide(",
        "            if False:\n                self._decide(",
        f"{_BOUND}::test_the_regulator_decides_before_its_opening_leaves",
    ),
    Mutant(
        "closing-judged-kept",
        "after a closing's end no party holds which rows it saw as valid",
        _PARTS_FILE,
        "        forget_judged(connection, self._run.party, self._study_id)\n"
        "        return ended\n",
        "        return ended\n",
        f"{_BOUND}::test_after_its_end_no_party_holds_which_rows_it_saw_as_valid[disagreed]",
    ),
    Mutant(
        "closing-cohort-forgotten",
        "a process that was overtaken forgets no cohort that another one closed",
        _PARTS_FILE,
        "            if changed.rowcount != 1:\n                raise _opened_before()\n"
        '            connection.execute("DELETE FROM closed_records',
        '            connection.execute("DELETE FROM closed_records',
        f"{_BOUND}::test_a_cohort_that_was_closed_meanwhile_is_not_forgotten",
    ),
    Mutant(
        "closing-reopened-by-another-job",
        "no job but a closing lets a study that is being closed take answers again",
        "mpc_engine/party/jobs/attempts.py",
        "            if spec.kind is JobKind.CLOSING:\n                reopen_study",
        "            if True:\n                reopen_study",
        f"{_BOUND}::test_another_job_does_not_reopen_a_study_that_is_being_closed",
    ),
    Mutant(
        "closing-opened-after-answers",
        "a run is not opened once the study has taken answers again",
        _STATES,
        '    if state != "CLOSING":',
        "    if False:",
        f"{_BOUND}::test_a_run_is_neither_kept_nor_opened_once_the_study_takes_answers",
    ),
    Mutant(
        "closing-ended-by-one-word",
        "a study ends by the word of both parties, so that none is left with what it holds",
        "blindjustice_web/studies/services.py",
        "all(not ENDS.isdisjoint(said) for said in codes.values())",
        "any(not ENDS.isdisjoint(said) for said in codes.values())",
        f"{_WORDS}::test_the_word_of_one_party_does_not_end_a_study",
    ),
    Mutant(
        "closing-late-word-unheard",
        "a party that comes back bound to a run closes the study for answers",
        "blindjustice_web/conduct/outcomes.py",
        "        wait_for_closing(late.job.study, late.code)",
        "        pass",
        f"{_WORDS}::test_a_party_that_comes_back_bound_to_a_run_closes_the_study_for_answers",
    ),
    Mutant(
        "closing-late-word-during-the-next",
        "what binds a party is heard also if it says so during the job's next attempt",
        "blindjustice_web/jobs/sequencer.py",
        "    if job is None or job.state == JobState.DONE or",
        "    if job is None or job.state != JobState.FAILED or",
        f"{_WORDS}::test_a_party_that_says_late_what_binds_it_is_heard_during_the_next_attempt",
    ),
    Mutant(
        "closing-success-binds-nothing",
        "a party that says it has closed takes no answers, whatever the other one says",
        "blindjustice_web/conduct/outcomes.py",
        "{CLOSING_WAITS if said.succeeded else said.code for",
        "{said.code for",
        f"{_WORDS}::test_a_party_that_has_closed_while_the_other_was_away_takes_no_answers",
    ),
    Mutant(
        "deadline-in-two-steps",
        "an attempt ends at its deadline with what follows from it, or not at all",
        "blindjustice_web/conduct/outcomes.py",
        "@transaction.atomic\ndef settle_overdue_job",
        "def settle_overdue_job",
        f"{_WORDS}::test_what_ends_at_a_deadline_is_followed_up_or_not_ended",
    ),
    Mutant(
        "closing-reopened-beside-another",
        "no closing that failed lets a study take answers while another one closes it",
        _STATES,
        "    if is_closed_elsewhere(connection, study_id, job_id, attempt):\n        return\n",
        "",
        f"{_BOUND}::test_no_second_closing_reopens_a_study_that_another_one_closes",
    ),
    Mutant(
        "closing-overtaken-put-off",
        "an attempt that was ended meanwhile is not put off, and reopens nothing",
        "mpc_engine/party/jobs/runner.py",
        "            ended = interruption(connection, job_id, attempt)\n",
        "            ended = None\n",
        f"{_BOUND}::test_an_attempt_that_was_ended_is_not_put_off",
    ),
)
