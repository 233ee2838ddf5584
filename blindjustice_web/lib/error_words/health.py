"""Words for the codes of one subject: what /health/ says of the site itself."""

from __future__ import annotations

from blindjustice_web.lib.error_words.kept import WAITS
from mpc_engine.error_words.rows import Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("What /health/ says of the site itself")
WORDS = {
    "DATABASE_NOT_WRITABLE": Words(
        _("The database takes no changes."),
        WAITS,
        _("Its operator sees whether it is read-only, full or away: its log and its disk say so."),
    ),
    "REDIS_HANGS": Words(
        _("Redis gives no answer."),
        WAITS,
        _("Look at its process and its host: it answered nothing for 2 seconds."),
    ),
    "REDIS_REFUSES": Words(
        _("Redis refuses the site's login."),
        WAITS,
        _(
            "The login or its rules (ACL) are not those that the stack made; Redis's log says"
            " more. A server that took over or lost its memory has no such users: start the "
            "stack again."
        ),
    ),
    "REDIS_LOADING": Words(
        _("Redis is still loading its data."),
        WAITS,
        _("Wait until it has loaded; its log says how far it is."),
    ),
    "REDIS_AWAY": Words(
        _("Redis can't be reached."),
        WAITS,
        _("See that its process and its host run, and that REDIS_URL names them."),
    ),
    "REDIS_READ_ONLY": Words(
        _("Redis is a read-only replica."),
        WAITS,
        _("REDIS_URL leads to a replica: finish the fail-over, or name the primary."),
    ),
    "REDIS_FULL": Words(
        _("Redis is full."),
        WAITS,
        _("Give Redis more maxmemory (policy noeviction), or find out why its queues grow."),
    ),
    "REDIS_CANNOT_SAVE": Words(
        _("Redis can't save its data to its disk."),
        WAITS,
        _(
            "Make room on its disk, or set its directory right: it takes no changes until it "
            "can write."
        ),
    ),
    "REDIS_FAILED": Words(
        _("Redis takes no changes."),
        WAITS,
        _(
            "Redis's log says more. The login or its rules (ACL) may not be those that the "
            "stack made; then start the stack again."
        ),
    ),
}
