"""What keeps a training that goes on, and one that is stopped, whole, secret and charged."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_CHECKPOINTS = "mpc_engine/party/studies/checkpoints.py"
_ATTEMPTS = "mpc_engine/party/jobs/attempts.py"
_RESUME = "tests/engine/party/test_training_resume.py"
_KEPT_WHEN_CANCELLED = (
    (
        "    if cancelled is not None:\n        raise cancelled\n    row = connection",
        "    row = connection",
    ),
)
"""A training looks for a cancellation before it keeps anything, too."""
_CANCELLED = "tests/engine/party/test_cancelled_job.py"
_SITE = "tests/web/test_cancellation.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "checkpoint-labels-untweaked",
        "the labels of a state that is entered share no tweak with those of a step",
        "mpc_engine/protocols/training/steps.py",
        "session.enter(n_wires, tweak_plan.MATRIX_LABELS)",
        "session.enter(n_wires, tweak_plan.material_labels(0))",
        "tests/engine/leakage/test_training_no_repeat.py"
        "::test_no_tweak_is_used_for_more_blocks_than_one_wire_or_transfer_has"
        "[from a checkpoint-acceptance_rate-whole_set]",
        also=(
            (
                "session.enter(start.wires, tweak_plan.MATRIX_LABELS)",
                "session.enter(start.wires, tweak_plan.material_labels(0))",
            ),
        ),
    ),
    Mutant(
        "checkpoint-of-two-sessions",
        "states of two sessions are never taken for one checkpoint",
        _CHECKPOINTS,
        "length_prefixed(_NAME_LABEL, running.job_digest, model_id, u32(state.step))",
        "length_prefixed(_NAME_LABEL, model_id, u32(state.step))",
        f"{_RESUME}::test_states_of_two_sessions_are_not_taken_for_one",
    ),
    Mutant(
        "checkpoint-of-other-data",
        "a run goes on with the data that it was begun with",
        _CHECKPOINTS,
        "name, run, own_data",
        "name, run",
        f"{_RESUME}::test_a_state_made_with_other_data_counts_as_none",
    ),
    Mutant(
        "checkpoint-of-another-job",
        "a state opens for the job that it was kept for",
        _CHECKPOINTS,
        "        return job_id, self._model_id(), code_digest(),",
        "        return self._model_id(), code_digest(),",
        f"{_RESUME}::test_a_state_of_another_job_counts_as_none",
    ),
    Mutant(
        "checkpoint-unsealed",
        "states lie encrypted in the store",
        _CHECKPOINTS,
        "        sealed = self._party.cipher.seal(_PLACE, self._bound(spec, name), state.encode())",
        "        sealed = state.encode()",
        f"{_RESUME}::test_no_state_lies_open_in_the_store",
    ),
    Mutant(
        "opening-not-noted",
        "what may have been opened is charged again",
        _CHECKPOINTS,
        '"INSERT OR IGNORE INTO openings (job_id, model_id, attempt) VALUES (?, ?, ?)"',
        '"INSERT OR IGNORE INTO openings SELECT ?, ?, ? WHERE 0"',
        f"{_RESUME}::test_what_may_have_been_opened_is_charged_again",
    ),
    Mutant(
        "ended-attempt-opens",
        "an attempt that was ended opens no model: the next one may not have been charged",
        _CHECKPOINTS,
        """opens the model of the point at work.\"\"\"
        running = self._running
        with self._party.database.transaction() as connection:
            self._require_running(connection)
""",
        """opens the model of the point at work.\"\"\"
        running = self._running
        with self._party.database.transaction() as connection:
""",
        f"{_RESUME}::test_an_attempt_that_was_ended_opens_nothing",
    ),
    Mutant(
        "opening-noted-by-one",
        "one party that noted an opening is enough for the charge",
        "mpc_engine/party/ledger/asking.py",
        "is_paid=own.is_paid and peer.is_paid",
        "is_paid=own.is_paid or peer.is_paid",
        f"{_RESUME}::test_what_may_have_been_opened_is_charged_again",
    ),
    Mutant(
        "cancelled-concludes",
        "a job that was cancelled keeps no model",
        _ATTEMPTS,
        "    if cancelled is not None and succeeded:",
        "    if False:",
        f"{_CANCELLED}::test_a_training_that_is_done_but_for_its_conclusion_is_cancelled_whole",
        also=_KEPT_WHEN_CANCELLED,
    ),
    Mutant(
        "cancelled-begins",
        "a job that was cancelled begins no more",
        _ATTEMPTS,
        "        if cancelled is not None:\n            raise UsageError",
        "        if False:\n            raise UsageError",
        f"{_CANCELLED}::test_a_job_that_has_not_begun_never_begins",
    ),
    Mutant(
        "cancelled-after-the-end",
        "a job that has ended is not cancelled",
        "mpc_engine/party/services/cancellations.py",
        """        if complete is not None or any(row["state"] == "DONE" for row in attempts):""",
        "        if False:",
        f"{_CANCELLED}::test_a_cancellation_that_comes_after_the_end_is_refused",
    ),
    Mutant(
        "cancelled-keeps-checkpoints",
        "nothing of a job that was cancelled is kept",
        _CHECKPOINTS,
        "            self._require_running(connection)\n            connection.execute(\n"
        '                "INSERT INTO checkpoints',
        '            connection.execute(\n                "INSERT INTO checkpoints',
        f"{_CANCELLED}::test_a_cancelled_process_keeps_no_checkpoint_any_more",
    ),
    Mutant(
        "cancelled-runs-on",
        "a job that was cancelled ends within a moment",
        "mpc_engine/party/line/deadline_channel.py",
        "        if now - self._looked_at >= LOOK_INTERVAL_S:",
        "        if False:",
        "tests/engine/party/test_line_helpers.py::test_a_job_that_was_stopped_ends_within_a_moment",
    ),
    Mutant(
        "cancelled-by-the-regulators-word",
        "the modeler's party, where a training ends, decides whether it was stopped",
        "blindjustice_web/jobs/cancellation.py",
        "    if job is None or message.role.value != Role.MODELER:\n        return\n    _end(job)",
        "    if job is None:\n        return\n    _end(job)",
        f"{_SITE}::test_only_the_modelers_word_ends_a_job",
    ),
    Mutant(
        "cancelled-starts-again",
        "a job that is being stopped is not started again",
        "blindjustice_web/jobs/sequencer.py",
        """.filter(state=JobState.QUEUED, cancelled_by="")""",
        ".filter(state=JobState.QUEUED)",
        f"{_SITE}::test_a_job_that_breaks_while_it_is_being_stopped_is_not_tried_again",
    ),
)
