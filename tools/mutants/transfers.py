"""Oblivious transfer, garbled circuits and the line between the parties."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_CONSISTENCY = "tests/engine/ot/test_consistency.py"
_GARBLING = "tests/engine/garbling"
_CHANNEL = "tests/engine/contracts/test_channel_contract.py"
_TLS = "tests/engine/transport/test_tls.py"
_LINES = "tests/engine/transport/test_lines.py"
_KERNELS = "tests/engine/kernels"
_PRODUCTS = "tests/engine/secure_ops/test_random_product.py"
_TRACES = "tests/engine/traces/test_traces.py::test_a_run_sends_the_bytes_it_always_sent"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "ot-check-skipped",
        "a receiver whose OT columns contradict each other is caught",
        "mpc_engine/ot/consistency.py",
        "    if not hmac.compare_digest(expected.tobytes(), t_hashes.tobytes()):",
        "    if False:",
        f"{_CONSISTENCY}::test_flipping_forty_columns_is_caught_but_for_one_time_in_two_to_the_forty",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "ot-check-once",
        "every call of an OT extension is checked, not the first alone",
        "mpc_engine/ot/extension.py",
        "            while unanswered:\n                self._check(",
        "            if call:\n"
        "                self._channel.recv_array(MessageTag.OT_CHECK, np.uint64, RESPONSE_SHAPE)\n"
        "            while unanswered and not call:\n                self._check(",
        f"{_CONSISTENCY}::test_a_later_call_is_checked_like_the_first",
    ),
    Mutant(
        "ot-mask-block-unchecked",
        "the sacrificed block of transfers is part of the OT check",
        "mpc_engine/ot/consistency.py",
        "    one = np.array([[1, 0]], dtype=np.uint64)",
        "    one = np.array([[0, 0]], dtype=np.uint64)",
        f"{_CONSISTENCY}::test_the_sacrificed_block_is_checked_too",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "ot-challenge-early",
        "the OT challenge is drawn and sent only when all columns have arrived",
        "mpc_engine/ot/extension.py",
        "            columns = self._recv_columns(_column_words(len(part)))\n"
        "            unanswered.append(self._challenge(columns))\n",
        "            challenge = self._rng.words(BLOCK_WORDS)\n"
        "            self._channel.send_array(MessageTag.OT_CHALLENGE, challenge)\n"
        "            columns = self._recv_columns(_column_words(len(part)))\n"
        "            unanswered.append(column_hash(challenge, columns.shape[1])(columns))\n",
        f"{_CONSISTENCY}::test_no_challenge_is_sent_before_all_columns_arrived",
    ),
    Mutant(
        "ot-last-parts-unchecked",
        "the last parts of an OT call are checked like those before them",
        "mpc_engine/ot/extension.py",
        "            while unanswered:\n                self._check(unanswered.popleft())\n",
        "            while unanswered:\n"
        "                unanswered.popleft()\n"
        "                self._channel.recv_array("
        "MessageTag.OT_CHECK, np.uint64, RESPONSE_SHAPE)\n",
        f"{_CONSISTENCY}::test_a_cheat_in_any_part_of_a_call_is_caught",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "ot-early-parts-unchecked",
        "the first parts of a long OT call are checked while later ones arrive",
        "mpc_engine/ot/extension.py",
        "                self._check(unanswered.popleft())\n                take(part)\n",
        "                unanswered.popleft()\n"
        "                self._channel.recv_array("
        "MessageTag.OT_CHECK, np.uint64, RESPONSE_SHAPE)\n"
        "                take(part)\n",
        f"{_CONSISTENCY}::test_a_cheat_in_any_part_of_a_call_is_caught",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "ot-calls-interleaved",
        "no call begins while another is open: streams and tweaks go on in order",
        "mpc_engine/ot/extension.py",
        "        if self.is_open:\n",
        "        if False:\n",
        "tests/engine/ot/test_extension.py::test_one_call_is_open_at_a_time",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "ot-call-finished-twice",
        "no key leaves a call by finishing it again after a failed check",
        "mpc_engine/ot/extension.py",
        "        if not self.is_open or call != self.number - 1:\n",
        "        if False:\n",
        f"{_CONSISTENCY}::test_after_a_failed_check_the_line_is_closed_and_delta_is_gone",
    ),
    Mutant(
        "ot-delta-kept",
        "after a failed OT check the sender has forgotten delta and gives no more transfers",
        "mpc_engine/ot/extension.py",
        "                self._forget()\n",
        "                pass\n",
        f"{_CONSISTENCY}::test_after_a_failed_check_the_line_is_closed_and_delta_is_gone",
    ),
    Mutant(
        "instance-reused",
        "no number of a circuit instance is handed out twice under one delta",
        "mpc_engine/garbling/instance_counter.py",
        "        self._next += count",
        "        self._next += 0 * count",
        f"{_GARBLING}/test_garbling.py::test_an_instance_number_is_handed_out_once",
    ),
    Mutant(
        "frame-tag-ignored",
        "a message of another kind than the expected one ends the session",
        "mpc_engine/transport/channel.py",
        "            if header.tag != tag:",
        "            if False:",
        f"{_CHANNEL}::test_an_unexpected_tag_is_a_violation_and_closes_the_line",
    ),
    Mutant(
        "frame-size-ignored",
        "a message of another size than the expected one is refused",
        "mpc_engine/transport/channel.py",
        "    if size is not None and length != size:",
        "    if False:",
        f"{_CHANNEL}::test_a_wrong_size_is_a_violation",
        shows="DID NOT RAISE",
    ),
    Mutant(
        "frame-limit-ignored",
        "no memory is taken for a message that is announced too long",
        "mpc_engine/transport/channel.py",
        "    if size is None and length > allowed:",
        "    if False:",
        f"{_CHANNEL}::test_a_message_over_the_limit_is_refused_before_its_payload_arrives",
    ),
    Mutant(
        "frame-version-ignored",
        "a frame of another version does not decode",
        "mpc_engine/transport/frame.py",
        "    if version != FRAME_VERSION:",
        "    if False:",
        f"{_CHANNEL}::test_another_frame_version_does_not_decode",
    ),
    Mutant(
        "line-open-after-refusal",
        "after a refused message the line is closed",
        "mpc_engine/transport/channel.py",
        "    except BaseException:\n        channel.close()\n",
        "    except BaseException:\n",
        "tests/engine/hostile/test_fuzz_transport.py"
        "::test_a_damaged_stream_gives_whole_messages_and_then_an_error",
    ),
    Mutant(
        "peer-certificate-unpinned",
        "only the certificate of the peer's descriptor opens the line (two checks, both out)",
        "mpc_engine/transport/tls.py",
        "    if not hmac.compare_digest(presented, pinned_certificate):",
        "    if False:",
        f"{_TLS}::test_a_server_with_another_certificate_is_refused",
        also=(("    context.verify_mode = ssl.CERT_REQUIRED", "    context.verify_mode = 0"),),
    ),
    Mutant(
        "old-tls-accepted",
        "the line is TLS 1.3",
        "mpc_engine/transport/tls.py",
        "    context.minimum_version = ssl.TLSVersion.TLSv1_3\n",
        "",
        f"{_TLS}::test_tls_1_2_is_refused",
    ),
    Mutant(
        "session-of-line-ignored",
        "two different jobs never share a line",
        "mpc_engine/transport/tls.py",
        "    if not hmac.compare_digest(received, hello):",
        "    if False:",
        f"{_TLS}::test_two_sessions_never_share_a_line",
    ),
    Mutant(
        "vector-instances-share-tweaks",
        "circuits garbled four at a time have a tweak each (processors with vector AES)",
        "mpc_engine/kernels/garbling_vector.py",
        "[0, 0, 0, 1, 0, 2, 0, 3]",
        "[0, 0, 0, 0, 0, 0, 0, 0]",
        f"{_KERNELS}/test_garbling.py::test_every_instance_and_gate_has_tables_of_its_own",
        needs_vectors=True,
    ),
    Mutant(
        "vector-streams-untweaked",
        "the four blocks of a vector of a product's stream differ (processors with vector AES)",
        "mpc_engine/kernels/aes_vector.py",
        "numbers = code.counted(first)",
        "numbers = code.repeated(first, ir.Constant(WORD, 0))",
        f"{_KERNELS}/test_random_product.py::test_sent_elements_equal_their_twin",
        needs_vectors=True,
    ),
    Mutant(
        "vector-hash-untweaked",
        "blocks hashed under a running number have a tweak each (processors with vector AES)",
        "mpc_engine/kernels/aes_vector.py",
        "code.counted(builder.add(arguments[2], ir.Constant(WORD, LANES * number))), top",
        "code.repeated(arguments[2], ir.Constant(WORD, 0)), top",
        f"{_KERNELS}/test_aes.py::test_counted_hashing_equals_hashing_under_the_same_tweaks",
        needs_vectors=True,
    ),
    Mutant(
        "product-sum-unpadded",
        "the leaf of a random value's own chunk stays closed to the one who holds the value",
        "mpc_engine/kernels/random_product.py",
        "= l0 ^ l4 ^ pads[0], l1 ^ l5 ^ pads[1]",
        "= l0 ^ l4, l1 ^ l5",
        f"{_PRODUCTS}::test_the_chooser_opens_every_leaf_but_that_of_its_value",
        also=(
            ("= l2 ^ l6 ^ pads[2], l3 ^ l7 ^ pads[3]", "= l2 ^ l6, l3 ^ l7"),
            ("l4 = g[4] ^ a[2] ^ ", "l4 = "),
            ("l5 = g[5] ^ a[3] ^ ", "l5 = "),
        ),
    ),
    Mutant(
        "product-instance-untweaked",
        "two products of random values share no tweak",
        "mpc_engine/crypto/tweak_plan.py",
        "    number = product << CHUNK_NUMBER_BITS\n",
        "    number = 0\n",
        f"{_PRODUCTS}::test_each_tweak_serves_one_block_and_the_chooser_hashes_nothing_else",
    ),
    Mutant(
        "product-block-untweaked",
        "two blocks of one product of random values share no tweak",
        "mpc_engine/secure_ops/random_product.py",
        "            first=first,\n",
        "            first=first % per_step,\n",
        f"{_PRODUCTS}::test_each_tweak_serves_one_block_and_the_chooser_hashes_nothing_else",
    ),
    Mutant(
        "line-number-unbound",
        "each party tells which line of the job it opens, so that lines cannot be swapped",
        "mpc_engine/transport/tls.py",
        "        return bytes((self.number, self.n_lines))",
        "        return bytes((0, self.n_lines))",
        f"{_LINES}::test_lines_that_come_in_another_order_are_refused",
    ),
    Mutant(
        "line-count-unbound",
        "both parties agree how many lines a job has",
        "mpc_engine/transport/tls.py",
        "        return bytes((self.number, self.n_lines))",
        "        return bytes((self.number, 0))",
        f"{_LINES}::test_both_parties_must_want_as_many_lines",
    ),
    Mutant(
        "second-line-of-another-job",
        "no later line of a job is that of another job",
        "mpc_engine/transport/tls.py",
        "    if not hmac.compare_digest(received, hello):",
        "    first = received[len(_HELLO) : len(_HELLO) + 1]\n"
        '    if first != b"\\x01" and not hmac.compare_digest(received, hello):',
        f"{_LINES}::test_the_second_line_of_another_job_is_refused_and_the_right_one_still_comes",
    ),
    Mutant(
        "second-line-ended-by-another-job",
        "a job that has its first line is not ended by one that comes meanwhile",
        "mpc_engine/transport/tls.py",
        "                if not line.number:\n                    raise",
        "                raise",
        f"{_LINES}::test_the_second_line_of_another_job_is_refused_and_the_right_one_still_comes",
    ),
    Mutant(
        "aborted-line-goes-on",
        "a line that another thread ended delivers nothing any more",
        "mpc_engine/transport/channel.py",
        "            if self._closed or self._aborted:",
        "            if self._closed:",
        f"{_CHANNEL}::test_an_aborted_line_delivers_nothing_that_came_before",
    ),
    Mutant(
        "wire-label-changed",
        "another label of what every session's keys hang on shows on the wire",
        "mpc_engine/protocols/session.py",
        '_SESSION_TAG = b"blindjustice/v1/session"',
        '_SESSION_TAG = b"blindjustice/v2/session"',
        f"{_TRACES}[session]",
        shows="sha256",
    ),
    Mutant(
        "wire-order-of-bits-changed",
        "flips of choices packed the other way round show on the wire, though both sides agree",
        "mpc_engine/secure_ops/label_transfer.py",
        'np.packbits(bits ^ random_bits, bitorder="little")',
        'np.packbits(bits ^ random_bits, bitorder="big")',
        f"{_TRACES}[training: from a checkpoint]",
        shows="sha256",
        also=(('count=m, bitorder="little"', 'count=m, bitorder="big"'),),
    ),
    Mutant(
        "wire-order-of-draws-changed",
        "draws of a protocol in another order show on the wire",
        "mpc_engine/ot/base_ot.py",
        "    scalars = [group.draw_scalar(rng) for _ in choices]\n",
        "    scalars = [group.draw_scalar(rng) for _ in choices][::-1]\n",
        f"{_TRACES}[base OTs]",
        shows="sha256",
    ),
)
