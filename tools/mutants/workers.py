"""What keeps workers that divide a certification as safe as one."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_SESSION = "mpc_engine/protocols/session.py"
_PROCESSES = "mpc_engine/party/jobs/worker_processes.py"
_WORKERS = "tests/engine/protocols/test_workers.py"
_FORKED = "tests/engine/party/test_worker_processes.py"
_OTS = (
    "        if hasattr(self, 'ot'):\n"
    "            self.ot = copy.copy(self.ot)\n"
    "            self.ot.__dict__.update(\n"
    "                {k: copy.copy(v) for k, v in vars(self.ot).items() if 'streams' in k}\n"
    "            )\n"
    "            self.ot.move(channel, rng)\n"
    "        else:\n"
    "            self.ot = {}(channel, session_id, rng, self.hash)\n"
)

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "worker-continues-transfers",
        "no worker continues an OT stream that the lead goes on with",
        _SESSION,
        "        self.ot = RandomOTSender(channel, session_id, rng, self.hash)\n",
        _OTS.replace("{}(", "RandomOTSender("),
        f"{_WORKERS}::test_no_worker_continues_a_stream_of_another",
        also=(
            (
                "        self.ot = RandomOTReceiver(channel, session_id, rng, self.hash)\n",
                _OTS.replace("{}(", "RandomOTReceiver("),
            ),
        ),
    ),
    Mutant(
        "workers-under-one-hash-key",
        "no two workers number circuits or tweaks under one hash key",
        _SESSION,
        "_WORKER_TAG + session_id + bytes([number])",
        "_WORKER_TAG + session_id + bytes([1])",
        f"{_WORKERS}::test_no_circuit_instance_recurs_under_a_hash_key",
    ),
    Mutant(
        "worker-under-the-leads-hash-key",
        "no tweak serves the people of two workers",
        _SESSION,
        "    return hashlib.sha256(_WORKER_TAG + session_id + bytes([number])).digest()\n",
        "    return session_id\n",
        "tests/engine/leakage/test_tweaks.py"
        "::test_no_tweak_is_used_for_more_than_two_blocks[workers]",
    ),
    Mutant(
        "counts-of-workers-left-out",
        "the counts of all workers' people enter the verdict",
        "mpc_engine/protocols/certification/tally_circuit.py",
        "            for wire in arithmetic.add(builder, total[word], counts[word], width)\n",
        "            for wire in total[word]\n",
        f"{_WORKERS}::test_the_counts_of_all_workers_are_opened",
    ),
    Mutant(
        "sums-of-workers-left-out",
        "the sums over all workers' people enter the verdict, bound by the MAC of all",
        "mpc_engine/protocols/certification/sums.py",
        "        self._total += worker.total\n",
        "",
        f"{_WORKERS}::test_any_number_of_workers_gives_the_oracles_answer[18-2-covariance]",
        shows="DisputedError",
    ),
    Mutant(
        "failed-check-of-a-worker-lost",
        "a check that fails in a worker fails the attempt",
        _PROCESSES,
        "        return as_engine_error(error)\n",
        "        return _Done(None, line.meter)\n",
        f"{_FORKED}::test_an_error_of_a_worker_is_the_leads",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "lead-does-not-wait-for-workers",
        "the lead goes on when every worker has ended well, and not before",
        _PROCESSES,
        "            while any(process.answer is None for process in processes):\n",
        "            while False:\n",
        f"{_FORKED}::test_results_come_in_order_with_what_the_lines_counted",
    ),
    Mutant(
        "worker-outlives-its-lead",
        "a worker dies with the slot that forked it",
        _PROCESSES,
        "    end_with_parent()\n",
        "",
        f"{_FORKED}::test_workers_die_with_a_lead_that_is_killed",
    ),
    Mutant(
        "lead-keeps-a-workers-line",
        "a lost worker's line ends with it",
        _PROCESSES,
        "work, line, others))\n                line.leave()\n",
        "work, line, others))\n",
        f"{_FORKED}::test_a_lost_workers_line_ends_at_once_while_the_others_go_on",
    ),
    Mutant(
        "worker-keeps-lines-of-others",
        "a worker holds no line but its own",
        _PROCESSES,
        "        other.leave()\n",
        "        pass\n",
        f"{_FORKED}::test_a_lost_workers_line_ends_at_once_while_the_others_go_on",
    ),
    Mutant(
        "worker-lines-give-way",
        "an attempt that has begun never gives way to one that only waits",
        "mpc_engine/party/line/lines.py",
        "_FIRST = bytes(4)\n",
        "_FIRST = bytes([255] * 4)\n",
        "tests/engine/hostile/test_crash_opposite_orders.py"
        "::test_who_waits_for_a_job_gives_way_to_the_shares_of_one_that_runs",
    ),
    Mutant(
        "worker-cause-behind-an-echo",
        "a check that failed in a worker is told, though another worker's line broke first",
        _PROCESSES,
        "            _hear_out(processes)\n",
        "            _look(processes, _LAST_WORD_S)\n",
        f"{_FORKED}::test_a_cause_is_waited_for_behind_the_echo_of_another_worker",
    ),
)
