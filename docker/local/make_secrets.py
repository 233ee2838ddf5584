"""Make the secrets of ``docker/compose.yaml``: ``python -m docker.local.make_secrets DIRECTORY``.

One random password per zone; each file is readable by the one user whose container mounts it.
Nothing existing is overwritten.
"""

from __future__ import annotations

import os
import secrets
import sys
from pathlib import Path

from docker.local.acl import acl_file
from docker.local.broker import fresh_passwords, url_for

SERVER = "redis://redis:6379/0"
REDIS_UID, WEB_UID, MODELER_UID, REGULATOR_UID = 999, 10001, 10002, 10003


def secret_files() -> dict[str, tuple[str, int]]:
    """Return each secret's content and the user who may read it, by file name."""
    passwords = fresh_passwords()
    database = secrets.token_urlsafe(32)
    return {
        "redis_users": (acl_file(passwords), REDIS_UID),
        "web_redis_url": (url_for("web", passwords["web"], SERVER), WEB_UID),
        "modeler_broker_url": (url_for("modeler", passwords["modeler"], SERVER), MODELER_UID),
        "regulator_broker_url": (
            url_for("regulator", passwords["regulator"], SERVER),
            REGULATOR_UID,
        ),
        "database_password": (database, 0),
        "web_database_url": (
            f"postgresql://blindjustice:{database}@database:5432/blindjustice",
            WEB_UID,
        ),
        "web_secret_key": (secrets.token_urlsafe(64), WEB_UID),
    }


def main(arguments: list[str]) -> int:
    """Write the files; say what to do where their owners could not be set."""
    if len(arguments) != 1:
        print(__doc__, file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if any(folder.iterdir()):
        print(f"{folder} is not empty; nothing was written.", file=sys.stderr)
        return 1
    for name, (content, uid) in secret_files().items():
        path = folder / name
        with os.fdopen(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w") as file:
            file.write(content if content.endswith("\n") else f"{content}\n")
        if os.geteuid() == 0:
            os.chown(path, uid, uid)
        elif uid:
            print(f"As root run: chown {uid}:{uid} {path}")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
