"""What keeps workers that share a certification as safe as one."""

from __future__ import annotations

from tests.mutants.mutant import Mutant

_SESSION = "mpc_engine/protocols/session.py"
_PROCESSES = "mpc_engine/party/jobs/share_processes.py"
_SHARES = "tests/engine/protocols/test_shares.py"
_FORKED = "tests/engine/party/test_share_processes.py"
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
        "share-continues-transfers",
        "no share continues an OT stream that the lead goes on with",
        _SESSION,
        "        self.ot = RandomOTSender(channel, session_id, rng, self.hash)\n",
        _OTS.replace("{}(", "RandomOTSender("),
        f"{_SHARES}::test_no_worker_continues_a_stream_of_another",
        also=(
            (
                "        self.ot = RandomOTReceiver(channel, session_id, rng, self.hash)\n",
                _OTS.replace("{}(", "RandomOTReceiver("),
            ),
        ),
    ),
    Mutant(
        "shares-under-one-hash-key",
        "no two workers number circuits or tweaks under one hash key",
        _SESSION,
        "_SHARE_TAG + session_id + bytes([number])",
        "_SHARE_TAG + session_id + bytes([1])",
        f"{_SHARES}::test_no_circuit_instance_recurs_under_a_hash_key",
    ),
    Mutant(
        "share-under-the-leads-hash-key",
        "no tweak serves the people of two workers",
        _SESSION,
        "    return hashlib.sha256(_SHARE_TAG + session_id + bytes([number])).digest()\n",
        "    return session_id\n",
        "tests/engine/leakage/test_tweaks.py"
        "::test_no_tweak_is_used_for_more_than_two_blocks_in_a_certification[3]",
    ),
    Mutant(
        "counts-of-shares-left-out",
        "the counts of all workers' people enter the verdict",
        "mpc_engine/protocols/certification/tally_circuit.py",
        "            for wire in arithmetic.add(builder, total[word], counts[word], width)\n",
        "            for wire in total[word]\n",
        f"{_SHARES}::test_the_counts_of_all_workers_are_opened",
    ),
    Mutant(
        "sums-of-shares-left-out",
        "the sums over all workers' people enter the verdict, bound by the MAC of all",
        "mpc_engine/protocols/certification/sums.py",
        "        self._total += share.total\n",
        "",
        f"{_SHARES}::test_any_number_of_workers_gives_the_oracles_answer[18-2-covariance]",
        shows="SumMismatchError",
    ),
    Mutant(
        "failed-check-of-a-share-lost",
        "a check that fails in a share fails the attempt",
        _PROCESSES,
        "        return as_engine_error(error)\n",
        "        return _Done(None, line.meter)\n",
        f"{_FORKED}::test_an_error_of_a_share_is_the_leads",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "lead-does-not-wait-for-shares",
        "the lead goes on when every share has ended well, and not before",
        _PROCESSES,
        "            while any(process.answer is None for process in processes):\n",
        "            while False:\n",
        f"{_FORKED}::test_results_come_in_order_with_what_the_lines_counted",
    ),
    Mutant(
        "share-outlives-its-lead",
        "a share dies with the slot that forked it",
        _PROCESSES,
        "    end_with_parent()\n",
        "",
        f"{_FORKED}::test_shares_die_with_a_lead_that_is_killed",
    ),
    Mutant(
        "lead-keeps-a-shares-line",
        "a lost share's line ends with it",
        _PROCESSES,
        "share, line, others))\n                line.leave()\n",
        "share, line, others))\n",
        f"{_FORKED}::test_a_lost_shares_line_ends_at_once_while_the_others_go_on",
    ),
    Mutant(
        "share-keeps-lines-of-others",
        "a share holds no line but its own",
        _PROCESSES,
        "        other.leave()\n",
        "        pass\n",
        f"{_FORKED}::test_a_lost_shares_line_ends_at_once_while_the_others_go_on",
    ),
    Mutant(
        "share-lines-give-way",
        "an attempt that has begun never gives way to one that only waits",
        "mpc_engine/party/jobs/line.py",
        "_FIRST = bytes(4)\n",
        "_FIRST = bytes([255] * 4)\n",
        "tests/engine/hostile/test_crash_opposite_orders.py"
        "::test_who_waits_for_a_job_gives_way_to_the_shares_of_one_that_runs",
    ),
    Mutant(
        "share-cause-behind-an-echo",
        "a check that failed in a share is told, though another share's line broke first",
        _PROCESSES,
        "            _hear_out(processes)\n",
        "            _look(processes, _LAST_WORD_S)\n",
        f"{_FORKED}::test_a_cause_is_waited_for_behind_the_echo_of_another_share",
    ),
)
