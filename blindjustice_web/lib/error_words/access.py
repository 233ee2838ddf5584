"""Words for the codes of one subject: requests, access and limits."""

from __future__ import annotations

from blindjustice_web.lib.error_words.kept import UNTOUCHED
from mpc_engine.error_words.rows import Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("Requests, access and limits")
WORDS = {
    "LOG_IN_NEEDED": Words(
        _("This needs a log-in."),
        UNTOUCHED,
        _("Log in and try again."),
    ),
    "LOG_IN_LOCKED": Words(
        _("There were too many failed log-ins, so logging in is locked for now."),
        _("The account and everything in it are as they were."),
        _(
            "Wait as long as the page says, then try again. If it was not you who tried, "
            "choose a longer password and tell the site's operator."
        ),
    ),
    "TOO_MANY_REQUESTS": Words(
        _("This was tried too often in a short time."),
        UNTOUCHED,
        _("Wait as long as the page, or Retry-After, says; then try again."),
    ),
    "NOT_ALLOWED": Words(
        _("You may not do this."),
        UNTOUCHED,
        _("Log in as somebody of the organisation that does this."),
    ),
    "NOT_FOUND": Words(
        _("There is no such thing, or you may not see it."),
        UNTOUCHED,
        _("Check the address, and that you are logged in as the right person."),
    ),
    "METHOD_NOT_ALLOWED": Words(
        _("This address does not take that method."),
        UNTOUCHED,
        _("Open the page again by its link; a program looks the method up in docs/api.md."),
    ),
    "CSRF_TOKEN_WRONG": Words(
        _("The request does not carry the token of your session."),
        UNTOUCHED,
        _("Reload the page and send it again."),
    ),
    "REQUEST_NOT_READABLE": Words(
        _("The request can't be read."),
        UNTOUCHED,
        _("Reload the page and send it again; a program sends JSON in UTF-8 (docs/api.md)."),
    ),
    "INPUT_INVALID": Words(
        _("A field that was sent is not as it should be; the message names it."),
        UNTOUCHED,
        _("Correct what the message names and send it again."),
    ),
    "BODY_TOO_LARGE": Words(
        _("The request is larger than this address takes."),
        UNTOUCHED,
        _("Send less at once."),
    ),
    "SITE_FAILED": Words(
        _("Something went wrong on our side."),
        _("What you sent before is kept; whether this was, the page shows after a reload."),
        _("Reload the page in a minute and look; if it goes on, tell the operator."),
    ),
    "BROKER_AWAY": Words(
        _("A part of this site can't be reached."),
        UNTOUCHED,
        _("Wait a minute, then try again."),
    ),
    "DATABASE_AWAY": Words(
        _("This site can't keep anything at the moment."),
        _("Most likely nothing of this was kept; everything you sent before is."),
        _("Wait a minute, reload the page to see, then try again."),
    ),
    "TEXT_NOT_READABLE": Words(
        _(
            "This shows a text that this version of the site can't read. Another version "
            "wrote it, or it was altered."
        ),
        _("The text is kept as it is."),
        _("Ask whoever operates this site; the version that wrote it shows it."),
    ),
    "AUDIT_FILTER_INVALID": Words(
        _(
            "A day, an actor, a kind or a study of the log's filter makes no sense; the "
            "message names it."
        ),
        _("The log is as it was."),
        _("Correct the field that is named and filter again."),
    ),
    "EXPORT_FORMAT_UNKNOWN": Words(
        _("The log is exported as csv or jsonl."),
        _("The log is as it was."),
        _("Choose one of the two formats."),
    ),
    "EXPORT_TOO_LARGE": Words(
        _("The days that were chosen hold more entries than one file may."),
        _("The log is as it was."),
        _("Choose fewer days, and export them one after the other."),
    ),
    "PARTY_NOT_SET_UP": Words(
        _("This party has not published its keys to this site yet."),
        UNTOUCHED,
        _("Ask the operator of the party to set it up, then try again."),
    ),
    "LINE_IN_USE": Words(
        _("The parties are at work together now: their line is open."),
        _("The run goes on."),
        _("Ask again when the run has ended."),
    ),
    "OTHER_ROLE_ACTS": Words(
        _("The other organisation does this."),
        UNTOUCHED,
        _("Ask somebody of the other organisation to do it on their page of the study."),
    ),
    "ONLY_MODELERS_DRAFT": Words(
        _("Only a modeler can draft a study."),
        UNTOUCHED,
        _("Log in as somebody of a modeler's organisation."),
    ),
    "ONLY_REGULATORS_PUBLISH": Words(
        _("Only a regulator publishes policies."),
        UNTOUCHED,
        _("Log in as somebody of a regulator's organisation."),
    ),
    "ONLY_PUBLISHER_WITHDRAWS": Words(
        _("Only the regulator that published it withdraws it."),
        _("The policy stays published."),
        _("Ask the regulator whose name stands on the policy."),
    ),
}
