"""What the site takes, from whom, how often, and how long a log-in lasts."""

from __future__ import annotations

from tools.mutants.mutant import Mutant

_BODY = "tests/web/test_body_limit.py"
_CSRF = "tests/web/test_csrf.py"
_LIMITS = "tests/web/test_limits.py"
_SESSIONS = "tests/web/test_sessions.py"
_SOCKETS = "tests/web/test_hostile_sockets.py"
_API = "tests/web/test_hostile_api.py"
_CHALLENGES = "tests/web/test_challenges.py"
_REPLAYS = "tests/web/test_hostile_replays.py"
_PARSER_FILE = "blindjustice_web/api/parser.py"
_LIMITS_FILE = "blindjustice_web/lib/throttle.py"
_SUBMISSIONS_FILE = "blindjustice_web/api/submissions.py"
_CHALLENGES_FILE = "blindjustice_web/challenges/services.py"
_SESSIONS_FILE = "blindjustice_web/accounts/sessions.py"
_CONSUMERS_FILE = "blindjustice_web/conduct/consumers.py"
_BODY_FILE = "blindjustice_web/config/body_limit.py"
_ENROLMENT_FILE = "blindjustice_web/enrolment/services.py"

_UPLOADS_FILE = "blindjustice_web/enrolment/data_uploads.py"
_UPLOADS = "tests/web/test_data_uploads.py"

_LAB = "tests/web/test_lab_page.py"

MUTANTS: tuple[Mutant, ...] = (
    Mutant(
        "words-of-a-lab-report-are-tags",
        "a figure's library, which reads tags in names, gets those of a report escaped",
        "blindjustice_web/presentation/figures/lab.py",
        "    (name,) = hover_texts([line.name])",
        "    name = line.name",
        f"{_LAB}::test_words_of_a_report_are_never_markup",
    ),
    Mutant(
        "a-lab-report-of-any-version",
        "a report of another format than this version's is refused",
        "mpc_engine/control/files/lab_report.py",
        '    if fields.raw_text("format", maximum=_MAX_TITLE) != FORMAT:',
        '    if not fields.raw_text("format", maximum=_MAX_TITLE):',
        f"{_LAB}::test_what_is_refused_leaves_the_report_that_is_shown",
    ),
    Mutant(
        "any-bytes-pass-for-the-announced-file",
        "a data file whose digest is not the announced one is not handed on",
        _UPLOADS_FILE,
        "    if hashlib.sha256(envelope).hexdigest() != upload.digest:",
        "    if False:",
        f"{_UPLOADS}::test_a_file_that_is_not_the_announced_one_goes_nowhere",
    ),
    Mutant(
        "parts-of-any-size",
        "a part that does not fit the announced file is refused",
        _UPLOADS_FILE,
        "    if not 0 <= number < n_parts(upload) or len(content) != _part_size(upload, number):",
        "    if False:",
        f"{_UPLOADS}::test_a_part_that_does_not_fit_is_refused",
    ),
    Mutant(
        "body-counted-by-its-own-word",
        "a body is counted while it arrives, whatever length it declares",
        _BODY_FILE,
        "            if not await self.admits(self._n_bytes):",
        "            if False:",
        f"{_BODY}::test_a_body_over_the_limit_is_not_read",
        shows="== 413",
    ),
    Mutant(
        "anybody-sends-as-much-as-a-member",
        "only a member who is logged in may send more than a little",
        _BODY_FILE,
        "    return membership_of(viewer_of(session_key)) is not None",
        "    return True",
        f"{_BODY}::test_a_made_up_session_sends_no_more_than_none",
        shows="== 413",
    ),
    Mutant(
        "refusal-of-earlier-orders",
        "a refusal of earlier orders drops no signature that was given since",
        "blindjustice_web/studies/refusals.py",
        "study=study, attempt_id=message.content.attempt_id.hex()",
        "study=study",
        "tests/web/test_refused_configurations.py"
        "::test_a_refusal_of_earlier_orders_is_passed_over_once_both_signed_anew",
    ),
    Mutant(
        "doubled-names-taken",
        "a body in which a name occurs twice is refused",
        _PARSER_FILE,
        "    if len(found) != len(pairs):",
        "    if False:",
        f"{_API}::test_a_name_that_occurs_twice_is_refused",
        shows="== 400",
    ),
    Mutant(
        "any-type-of-body-taken",
        "a body of another declared type is refused",
        _PARSER_FILE,
        "        if request.content_type != CONTENT_TYPE:",
        "        if False:",
        f"{_API}::test_a_body_of_another_type_is_refused",
        shows="== 400",
    ),
    Mutant(
        "not-a-number-taken",
        "NaN and infinity are no numbers",
        _PARSER_FILE,
        "            parse_constant=_refuse,\n",
        "",
        f"{_API}::test_what_one_reader_takes_and_another_does_not_is_refused",
        shows="== 400",
    ),
    Mutant(
        "unreadable-forms-are-our-fault",
        "a form that can't be read is a typed refusal, no failure of the site",
        "blindjustice_web/api/errors.py",
        "    @api.exception_handler(MultiPartParserError)\n",
        "",
        f"{_CSRF}::test_every_write_needs_the_session_s_token",
        shows="assert 500 in",
    ),
    Mutant(
        "open-errors-stay-pages",
        "every error under the API is a problem document",
        "blindjustice_web/lib/middleware.py",
        "        if not is_error or response",
        "        if True or response",
        f"{_API}::test_an_address_that_is_not_there_is_a_problem_too",
        shows="application/problem+json",
    ),
    Mutant(
        "limits-not-enforced",
        "a limit that is used up refuses",
        _LIMITS_FILE,
        '    if usage["should_limit"] or (',
        "    if False and (",
        f"{_LIMITS}::test_answers_of_one_record_are_limited_and_of_others_not",
        shows="429",
    ),
    Mutant(
        "valid-answers-counted-by-address",
        "an office behind one address shares at once",
        _SUBMISSIONS_FILE,
        "    require_left(request, GUESSES)\n    study = public_study(study_id)\n",
        "    spend_by_address(request, GUESSES)\n    study = public_study(study_id)\n",
        f"{_LIMITS}::test_an_office_shares_at_once",
        shows="429",
    ),
    Mutant(
        "two-browsers-one-record",
        "an answer beside another browser's that stands is refused, and takes no number",
        "blindjustice_web/enrolment/services.py",
        "    if others.filter(standing).exists():",
        "    if False:",
        "tests/web/test_enrolment.py::"
        "test_the_later_of_two_browsers_learns_that_another_answer_stands",
        shows="OWNER_KEY_CHANGED",
    ),
    Mutant(
        "guesses-by-sending-not-counted",
        "answers for records nobody is invited for are counted by address",
        _SUBMISSIONS_FILE,
        '        if problem.code == "RECORD_NOT_INVITED":',
        "        if False:",
        f"{_LIMITS}::test_guessing_records_ends_for_the_address",
        shows="429",
    ),
    Mutant(
        "strangers-name-their-address",
        "what is forwarded counts only if a named proxy forwarded it",
        "blindjustice_web/lib/forwarded.py",
        "    if _is_trusted(peer, settings.TRUSTED_PROXIES):",
        "    if True:",
        "tests/web/test_forwarded.py::test_only_a_named_proxy_makes_a_request_secure",
        shows="assert not",
    ),
    Mutant(
        "locked-log-ins-say-nothing",
        "a locked log-in says for how long",
        "blindjustice_web/accounts/adapter.py",
        '            raise too_many(wait_s, "LOG_IN_LOCKED") from None\n',
        "            return\n",
        f"{_LIMITS}::test_a_log_in_that_fails_too_often_is_locked_and_says_for_how_long",
        shows="429",
    ),
    Mutant(
        "attempts-counted-after-the-password",
        "attempts that are under way at once are all counted before a password is looked at",
        _LIMITS_FILE,
        "    used = _usage(request, name, key, count=True)\n    if used",
        "    used = _usage(request, name, key, count=False)\n    if used",
        f"{_LIMITS}::test_attempts_at_once_are_each_counted",
        shows="assert",
    ),
    Mutant(
        "log-ins-last-for-ever",
        "a log-in ends at the latest after a fixed time",
        _SESSIONS_FILE,
        "    too_old = now - started > settings.SESSION_LONGEST_S",
        "    too_old = False",
        f"{_SESSIONS}::test_a_log_in_that_is_used_ends_in_the_evening",
        shows="== 401",
    ),
    Mutant(
        "unused-log-ins-last",
        "a log-in that is not used ends",
        _SESSIONS_FILE,
        "    return bool(too_old or now - used > settings.SESSION_IDLE_S)",
        "    return bool(too_old)",
        f"{_SESSIONS}::test_a_log_in_that_is_not_used_ends",
        shows="== 401",
    ),
    Mutant(
        "polling-keeps-log-ins-alive",
        "a page that refreshes itself is no use of a log-in",
        _SESSIONS_FILE,
        '            elif "partial" not in request.GET:',
        "            else:",
        f"{_SESSIONS}::test_a_page_that_refreshes_itself_is_no_use",
        shows="== 302",
    ),
    Mutant(
        "connections-outlive-log-ins",
        "an open connection ends with its log-in",
        _CONSUMERS_FILE,
        "        if due and not await self._is_allowed():",
        "        if False:",
        f"{_SESSIONS}::test_an_open_connection_ends_with_its_log_in",
        shows="websocket.close",
    ),
    Mutant(
        "any-page-connects",
        "pages of other origins open no connection",
        "blindjustice_web/config/origin.py",
        "        if len(origins) == 1 and origins[0] in own:",
        "        if True:",
        f"{_SOCKETS}::test_pages_of_other_origins_are_shut_out",
        shows="assert not",
    ),
    Mutant(
        "long-messages-taken",
        "a message that is too long ends the connection",
        _CONSUMERS_FILE,
        '        if len(text_data or bytes_data or "") > settings.SOCKET_MESSAGE_BYTES:',
        "        if False:",
        f"{_SOCKETS}::test_a_message_that_is_too_long_ends_the_connection",
    ),
    Mutant(
        "typed-challenges-unlimited-per-person",
        "one person challenges few decisions without a signed record",
        _CHALLENGES_FILE,
        "    if _left_for(user) <= 0:",
        "    if False:",
        f"{_CHALLENGES}::test_typed_challenges_are_limited_per_person_over_all_certificates",
        shows="429",
    ),
    Mutant(
        "typed-challenges-pass-as-records",
        "a typed-in decision that was said to be a record is counted",
        _CHALLENGES_FILE,
        "    if source == Source.TYPED and challenge.source == Source.RECORD:",
        "    if False:",
        f"{_CHALLENGES}::test_a_typed_decision_that_was_said_to_be_a_record_is_counted",
        shows="REFUSED",
    ),
    Mutant(
        "failed-models-put-into-use",
        "a model that did not pass is not put into use",
        "blindjustice_web/certificates/standing.py",
        "        if any(result.verdict != Verdict.PASS for result in model.results.all()):",
        "        if False:",
        "tests/web/test_certificates.py"
        "::test_a_model_that_was_judged_is_put_into_use_only_if_it_passed",
        shows="can_deploy",
    ),
    Mutant(
        "replayed-envelopes-taken",
        "an envelope of one record is not taken for another",
        _ENROLMENT_FILE,
        '        | Q(digest_modeler=digests["digest_modeler"])\n',
        "",
        f"{_REPLAYS}::test_an_envelope_of_one_record_is_not_taken_for_another",
        shows="ENVELOPE_REPLAYED",
    ),
    Mutant(
        "members-lose-their-portal",
        "a log-in leads each role to its own portal",
        "blindjustice_web/accounts/adapter.py",
        "    return reverse(names[role_of(user)])",
        "    return reverse(names[None])",
        f"{_SESSIONS}::test_a_log_in_leads_home",
        shows="/me/",
    ),
    Mutant(
        "private-answers-kept",
        "nobody keeps a copy of what is private",
        "blindjustice_web/lib/middleware.py",
        "            add_never_cache_headers(response)\n",
        "            pass\n",
        f"{_SESSIONS}::test_nobody_keeps_a_copy_of_what_is_private",
        shows="Cache-Control",
    ),
    Mutant(
        "mail-to-an-address-nobody-verified",
        "a person's case is mailed only to an address that is known to be hers",
        "blindjustice_web/notices/services.py",
        "if user is not None and verified.exists()",
        "if user is not None",
        "tests/web/test_notices.py::test_an_address_that_nobody_verified_gets_nothing",
    ),
    Mutant(
        "mail-sent-twice",
        "a notice that one worker took is not sent by another",
        "blindjustice_web/notices/services.py",
        "    if not this.filter(taken_at=None).update(taken_at=timezone.now()):",
        "    if not this.update(taken_at=timezone.now()):",
        "tests/web/test_notices.py::test_a_notice_that_another_worker_took_is_not_sent",
    ),
)
