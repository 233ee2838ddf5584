"""Words for the codes of one subject: a party's machine: files, store and settings."""

from __future__ import annotations

from mpc_engine.error_words.rows import NOTHING, RUN, Words
from mpc_engine.error_words.rows import marked as _

TITLE = _("A party's machine: files, store and settings")
WORDS = {
    "PARTY_CONFIG_INVALID": Words(
        _("A setting in the party's party.toml is not as it should be; the sentence names it."),
        NOTHING,
        _(
            "Correct the setting that is named (docs/operations.md lists all) and run the "
            "command again."
        ),
    ),
    "FILE_MISSING": Words(
        _("A file that is needed is not there or can't be read."),
        NOTHING,
        _(
            "Check the name that the message gives. A file of the party comes from init or "
            "from the backup."
        ),
    ),
    "FILE_EXISTS": Words(
        _("A file of this name exists already and is kept."),
        _("The earlier file is kept as it is; nothing was written over it."),
        _("Give another name or directory, or move the earlier file away first."),
    ),
    "FILE_NOT_PRIVATE": Words(
        _("A secret file may be read by other users of the machine."),
        NOTHING,
        _(
            "Set its mode to 600 (chmod 600). If others had access to the machine, make a new"
            " key and hand it over."
        ),
    ),
    "FILE_NOT_READABLE": Words(
        _(
            "A file is not open to the user that the party runs as, most often because a "
            "command was run as another one."
        ),
        _("Nothing was changed. No job runs until it is put right."),
        _(
            "Give the files that are named back to that user (chown), or run the command as "
            "that user or as root."
        ),
    ),
    "FILE_TOO_LARGE": Words(
        _("The file is larger than the command takes."),
        NOTHING,
        _("Split the file and run the command for each part."),
    ),
    "KEYSTORE_MISSING": Words(
        _("The party has no keys yet."),
        NOTHING,
        _("Run its command init first."),
    ),
    "KEYSTORE_DAMAGED": Words(
        _("A file of the party's keys can't be read as one."),
        _("Nothing was made or changed."),
        _("Put the file back from a backup."),
    ),
    "KEY_OF_STUDIES_MISSING": Words(
        _("A key file is missing, and studies of this party rest on it."),
        _("Nothing was made or changed."),
        _("Put the file back from a backup; with a new key none of these studies could go on."),
    ),
    "KEY_OF_OTHER_ROLE": Words(
        _("The descriptor that was given is the other party's."),
        NOTHING,
        _("Give the descriptor of the party that the option names."),
    ),
    "PEER_UNKNOWN": Words(
        _(
            "This party does not have the other one's public descriptor, or the file does not"
            " describe that party."
        ),
        _("Nothing was changed; no job runs."),
        _(
            "Copy the other party's descriptor to the file that peer_public names, and "
            "compare its digest over a second channel."
        ),
    ),
    "DESCRIPTOR_MISSING": Words(
        _("The party's own public descriptor is missing."),
        NOTHING,
        _("Run init; it writes the descriptor anew from the keys."),
    ),
    "DESCRIPTOR_OUTDATED": Words(
        _("The party's own public descriptor says something else than its keys and settings."),
        NOTHING,
        _("Run init and hand the descriptor over again, to the site and to the other party."),
    ),
    "STORE_MISSING": Words(
        _("The party has no store yet."),
        NOTHING,
        _("Run its command init first."),
    ),
    "STORE_OTHER_VERSION": Words(
        _("The party's store was made by another version of the software."),
        _("Nothing was changed."),
        _("Start the version that made the store, or set the party up in another data_dir."),
    ),
    "STORE_ALTERED": Words(
        _("Something in the party's store was altered, moved, or written under another key."),
        _("The store is left as it is; nothing of it was used."),
        _("Stop the party and restore its data_dir from a backup, store and keys together."),
    ),
    "STORE_DAMAGED": Words(
        _("The party's store is damaged."),
        _("The store is left as it is."),
        _("Stop the party and restore its data_dir from a backup."),
    ),
    "STORE_INCOMPLETE": Words(
        _("Something that the party wrote down before is not complete in its store."),
        _("The store is left as it is; nothing more was charged."),
        _("Stop the party and restore its data_dir from a backup."),
    ),
    "CLOCK_WRONG": Words(
        _("The machine's clock is behind the party's last change."),
        NOTHING,
        _(
            "Set the clock by a time server (NTP). If it was ahead and has just been set "
            "right, wait until it has passed that moment."
        ),
    ),
    "TLS_UNREADABLE": Words(
        _("A TLS certificate of the party can't be read."),
        NOTHING,
        _(
            "Put the file back from a backup, or move tls.crt and tls.key away, run init, and"
            " hand the descriptor over again."
        ),
    ),
    "TLS_NOT_CURRENT": Words(
        _("A TLS certificate is not valid now."),
        NOTHING,
        _(
            "Compare the clock with its dates. If it has expired, move tls.crt and tls.key "
            "away, run init, and hand the descriptor over again."
        ),
    ),
    "AES_WRONG": Words(
        _("The compiled encryption computes wrong blocks on this machine."),
        _("No job runs on this machine."),
        _(
            "Do not use this machine: test its memory and processor, or set the party up on "
            "another one."
        ),
    ),
    "REHEARSAL_FAILED": Words(
        _("A rehearsal of a whole run on this machine had a wrong outcome or did not end."),
        _("The rehearsal used made-up data; nothing of the party was touched."),
        _(
            "Do not run jobs on this machine until self-test passes: install the packages "
            "anew, then test memory and processor."
        ),
    ),
    "ADDRESS_INVALID": Words(
        _("An address is not a host and a port."),
        NOTHING,
        _("Write it as host:port, an IPv6 address in brackets, such as [2001:db8::1]:8440."),
    ),
    "DISK_FULL": Words(
        _("The disk of the party's machine is full."),
        _("Nothing is lost. A question that had begun stays charged."),
        _("When its operator has made room, try again."),
    ),
    "RESOURCE_MISSING": Words(
        _("The party's machine could not do this now, for want of storage, memory or network."),
        _("Nothing is lost. A question that had begun stays charged."),
        _("Try again later; the operator finds the cause in the party's log."),
    ),
    "PARTY_INTERNAL_ERROR": Words(
        _("Something went wrong inside the party that nobody foresaw."),
        _("Nothing is lost. A question that had begun stays charged."),
        _(
            "The party's operator finds the place in its log and hands it to the makers of "
            "this software; the run can be proposed again."
        ),
    ),
    "DOUBLED_ORDER": Words(
        _("The same order arrived twice at one moment."),
        _("The first of the two was carried out."),
        _("Nothing: the party answers the first one."),
    ),
    "ENGINE_ERROR": Words(
        _("Something went wrong in the engine that has no code of its own."),
        RUN,
        _("Read the sentence beside the code, and tell the operator what it says."),
    ),
    "UNUSABLE_INPUT": Words(
        _("What was given can't be used; the sentence says why."),
        NOTHING,
        _("Correct what the sentence names and try again."),
    ),
    "CASE_ID_INVALID": Words(
        _("A case in the file has no number, or one with characters that a number may not have."),
        _("No decision was signed; nothing was written."),
        _(
            "Correct the column with the cases' numbers in the row that is named, and run the"
            " command again."
        ),
    ),
    "CASE_ID_REPEATED": Words(
        _("Two rows of the file have the same case number."),
        _("No decision was signed; nothing was written."),
        _("Give each case a number of its own and run the command again."),
    ),
}
