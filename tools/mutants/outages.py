"""What keeps the installation up, and people answered, while Redis or a database is not itself."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_PROCESSES = "docker/local/processes.py"
_QUEUES = "mpc_engine/control/post/queues.py"
_RESTARTS = "tests/services/test_restarts.py"
_QUEUES_TEST = "tests/engine/control/test_queues.py"
_WORKER = "tests/web/test_worker.py"
_HEALTH = "tests/web/test_own_health.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "restarts-without-pause",
        "what keeps ending is not started again at once",
        _PROCESSES,
        "                if time.monotonic() >= process.due_at:",
        "                if True:",
        f"{_RESTARTS}::test_it_is_not_started_before_its_pause_is_over",
    ),
    Mutant(
        "children-left-behind",
        "nothing of a process that ended is there when it is started again",
        _PROCESSES,
        "        while _is_there(self.running.pid):",
        "        while False:",
        f"{_RESTARTS}::test_nothing_is_left_of_a_process_that_ended",
    ),
    Mutant(
        "signals-to-anybody",
        "what ended keeps its number until its group was killed, so no one else is",
        _PROCESSES,
        "_LOOK = os.WEXITED | os.WNOHANG | os.WNOWAIT",
        "_LOOK = os.WEXITED | os.WNOHANG",
        f"{_RESTARTS}::test_no_signal_goes_to_a_number_that_may_be_somebody_else_s",
    ),
    Mutant(
        "refusals-end-workers",
        "a broker that is read-only, full or unable to save ends no worker",
        _QUEUES,
        "        broker_channel_error_retry=True,",
        "        broker_channel_error_retry=False,",
        f"{_QUEUES_TEST}::test_a_broker_that_refuses_or_hangs_ends_no_worker",
    ),
    Mutant(
        "full-broker-loses-messages",
        "a message taken from a full broker is worked on though its note is refused",
        "mpc_engine/control/post/redis_transport.py",
        "            virtual.QoS.append(self, message, delivery_tag)",
        "            raise",
        f"{_QUEUES_TEST}::test_a_message_taken_from_a_full_server_is_not_lost",
    ),
    Mutant(
        "answers-before-orders",
        "what many people answer stands before no other order",
        _QUEUES,
        "    return intake_queue(role) if is_intake else order_queue(role)",
        "    return order_queue(role)",
        f"{_QUEUES_TEST}::test_answers_have_a_queue_of_their_own",
    ),
    Mutant(
        "closing-before-answers",
        "a closing does not overtake the answers that came before it",
        "mpc_engine/control/post/exchanges/about_jobs.py",
        "        return Lane.PEOPLE if is_closing else cls.lane",
        "        return cls.lane",
        f"{_QUEUES_TEST}::test_a_closing_stays_behind_the_answers_before_it",
    ),
    Mutant(
        "data-before-invitations",
        "a table overtakes neither the invitations of its people nor the closing after it",
        "mpc_engine/control/post/exchanges/about_people.py",
        '    kind="data",\n    lane=Lane.PEOPLE,\n',
        '    kind="data",\n',
        f"{_QUEUES_TEST}::test_a_table_stays_between_the_invitations_and_the_closing",
    ),
    Mutant(
        "pages-told-without-limit",
        "a layer that hangs holds up no later news",
        "blindjustice_web/lib/push.py",
        "        async with asyncio.timeout(TELLING_LIMIT_S):",
        "        async with asyncio.timeout(None):",
        f"{_WORKER}::test_nobody_waits_for_a_layer_that_hangs",
    ),
    Mutant(
        "everybody-waits-in-turn",
        "after one order found the broker away, the next ones do not wait for it",
        "blindjustice_web/post/outbox.py",
        "    if REDIS.lasts or not _hand_over(task):",
        "    if not _hand_over(task):",
        "tests/web/test_outbox.py"
        "::test_one_order_waits_for_a_broker_that_is_away_and_the_others_do_not",
    ),
    Mutant(
        "health-without-redis",
        "the site does not say that it is well while Redis takes no changes",
        "blindjustice_web/lib/own_health.py",
        "for fault in (_database_fault(), _redis_fault())",
        "for fault in (_database_fault(),)",
        f"{_HEALTH}::test_redis_that_takes_no_change_is_named",
    ),
    Mutant(
        "health-only-reads",
        "a database that only reads is not well",
        "blindjustice_web/lib/own_health.py",
        '        Session.objects.filter(session_key="").update(session_data="")',
        '        Session.objects.filter(session_key="").exists()',
        f"{_HEALTH}::test_a_database_that_takes_no_change_is_named",
    ),
    Mutant(
        "ports-guessed-at",
        "an IPv6 address without brackets is refused, not split at its last colon",
        "mpc_engine/transport/address.py",
        '    if ":" in host:\n        raise',
        "    if False:\n        raise",
        "tests/engine/transport/test_address.py::test_what_can_be_read_two_ways_is_refused",
    ),
)
