"""Every address of the site: what each of the cast gets there, by method."""

from __future__ import annotations

CAST = ("anonymous", "uma", "umar", "mo", "mia", "rae")
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
PUBLIC = "200 200 200 200 200 200"
LOGGED_IN = "302 200 200 200 200 200"
MODELERS = "302 404 404 200 200 404"
MODELER = "302 404 404 200 404 404"
REGULATOR = "302 404 404 404 404 200"
MEMBERS = "401 404 404 200 404 200"
NOBODY = "404 404 404 404 404 404"
SENT_TO_LOG_IN = "302 200 200 200 200 200"
SENT_HOME = "200 302 302 302 302 302"
API = "api/v1/"
ROWS: dict[str, dict[str, str]] = {
    "": {"GET": PUBLIC},
    "certificates/": {"GET": PUBLIC},
    "certificates/<id:certificate_id>/": {"GET": PUBLIC},
    "certificates/<id:certificate_id>/download": {"GET": PUBLIC},
    "certificates/<id:certificate_id>/revocation": {"GET": NOBODY},  # but of a revoked one
    "certificates/revocation-list": {"GET": PUBLIC},
    "certificates/<id:certificate_id>/reports/<report:report>/": {"GET": PUBLIC},
    "certificates/<id:certificate_id>/reports/<report:report>.csv": {"GET": PUBLIC},
    "certificates/<id:certificate_id>/reports/<report:report>.pdf": {"GET": PUBLIC},
    "sample-size/": {"GET": PUBLIC},
    "lab/": {"GET": PUBLIC},
    "lab/<slug:name>/": {"GET": PUBLIC},
    "errors/": {"GET": PUBLIC},
    "demo/": {"GET": NOBODY},  # but in a demonstration
    "health/": {"GET": PUBLIC},
    "design/": {"GET": PUBLIC},
    "theme/": {"POST": "302 302 302 302 302 302"},
    "take-part/<id:study_id>/": {"GET": PUBLIC},
    "take-part/<id:study_id>/receipts/<id:record_id>/": {"GET": PUBLIC},
    "take-part/<id:study_id>/receipts/<id:record_id>/qr.svg": {"GET": PUBLIC},
    "me/": {"GET": LOGGED_IN},
    "me/mail/": {"POST": "302 302 302 302 302 302"},
    "me/challenges/new/": {"GET": LOGGED_IN},
    "me/challenges/<id:challenge_id>/": {"GET": "302 200 404 404 404 404"},
    "me/challenges/<id:challenge_id>/qr.svg": {"GET": "302 404 404 404 404 404"},
    "modeler/": {"GET": MODELERS},
    "modeler/audit/": {"GET": MODELERS},
    "modeler/audit/export/": {"POST": "302 404 404 422 422 404"},
    "modeler/health/": {"GET": MODELERS},
    "modeler/health/check/": {"POST": "302 404 404 302 302 404"},
    "modeler/key/": {"GET": MODELERS},
    "modeler/policy/": {"POST": MODELERS},
    "modeler/studies/new/": {"GET": MODELERS},
    "modeler/studies/<id:study_id>/": {"GET": MODELER},
    "modeler/studies/<id:study_id>/models/new/": {"GET": MODELER},
    "modeler/studies/<id:study_id>/send-again/": {"POST": "302 404 404 409 404 404"},
    "modeler/models/<id:model_id>/reports/<report:report>/": {"GET": MODELER},
    "modeler/models/<id:model_id>/reports/<report:report>.csv": {"GET": MODELER},
    "modeler/models/<id:model_id>/reports/<report:report>.pdf": {"GET": MODELER},
    "modeler/jobs/<id:job_id>/cancel/": {"POST": "302 404 404 409 404 404"},
    "modeler/jobs/<id:job_id>/go-on/": {"POST": "302 404 404 409 404 404"},
    "regulator/": {"GET": REGULATOR},
    "regulator/models/<id:model_id>/reports/<report:report>/": {"GET": REGULATOR},
    "regulator/models/<id:model_id>/reports/<report:report>.csv": {"GET": REGULATOR},
    "regulator/models/<id:model_id>/reports/<report:report>.pdf": {"GET": REGULATOR},
    "regulator/jobs/<id:job_id>/cancel/": {"POST": "302 404 404 404 404 409"},
    "regulator/jobs/<id:job_id>/go-on/": {"POST": "302 404 404 404 404 409"},
    "regulator/audit/": {"GET": REGULATOR},
    "regulator/audit/export/": {"POST": "302 404 404 404 404 422"},
    "regulator/health/": {"GET": REGULATOR},
    "regulator/health/check/": {"POST": "302 404 404 404 404 302"},
    "regulator/key/": {"GET": REGULATOR},
    "regulator/studies/<id:study_id>/": {"GET": REGULATOR},
    "regulator/studies/<id:study_id>/send-again/": {"POST": "302 404 404 404 404 409"},
    "regulator/policies/": {"GET": REGULATOR},
    "regulator/policies/new/": {"GET": REGULATOR},
    "regulator/policies/publish/": {"POST": REGULATOR},
    "regulator/policies/editor/": {"POST": REGULATOR},
    "regulator/policies/<id:policy_id>/": {"GET": REGULATOR},
    "regulator/policies/<id:policy_id>/withdraw/": {"POST": "302 404 404 404 404 302"},
    "regulator/challenges/": {"GET": REGULATOR},
    API: dict.fromkeys(METHODS, NOBODY),
    API + "clock": {"GET": PUBLIC},
    API + "openapi.json": dict.fromkeys(METHODS, PUBLIC),
    API + "policies": {"GET": PUBLIC, "POST": "401 403 403 403 403 201"},
    API + "policy-readings": {"POST": "401 200 200 200 200 200"},
    API + "policies/<policy_id>": {"GET": PUBLIC},
    API + "policies/<policy_id>/withdrawal": {"POST": "401 403 403 403 403 200"},
    API + "studies": {"GET": "401 200 200 200 200 200", "POST": "401 403 403 422 422 403"},
    API + "studies/<study_id>": {"GET": MEMBERS, "PUT": "401 404 404 409 404 403"},
    API + "studies/<study_id>/submit": {"POST": "401 404 404 409 404 403"},
    API + "studies/<study_id>/configuration": {"GET": PUBLIC},
    API + "studies/<study_id>/questions": {"GET": PUBLIC},
    API + "studies/<study_id>/invitations": {"POST": "401 404 404 409 404 403"},
    API + "studies/<study_id>/data": {"POST": "401 404 404 403 404 409"},
    API + "studies/<study_id>/data/<upload_id>/parts/<number>": {"PUT": "401 404 404 403 404 409"},
    API + "studies/<study_id>/closing": {"POST": "401 404 404 409 404 409"},
    API + "studies/<study_id>/certifications": {"POST": "401 404 404 409 404 403"},
    API + "studies/<study_id>/trainings": {"POST": "401 404 404 409 404 403"},
    API + "studies/<study_id>/submissions": {"POST": "409 409 409 409 409 409"},
    API + "studies/<study_id>/records/<record_id>": {"GET": PUBLIC},
    API + "studies/<study_id>/models": {"POST": "401 404 404 202 404 403"},
    API + "studies/<study_id>/takeovers": {"POST": "401 404 404 422 404 403"},
    API + "models/<model_id>": {"GET": MEMBERS},
    API + "models/<model_id>/sealed": {"GET": "401 404 404 200 404 403"},
    API + "models/<model_id>/deployment": {"POST": "401 404 404 422 404 403"},
    API + "proposals": {"GET": "401 200 200 200 200 200"},
    API + "proposals/<proposal_id>": {"GET": MEMBERS},
    API + "proposals/<proposal_id>/approvals": {"POST": "401 404 404 422 404 422"},
    API + "proposals/<proposal_id>/decline": {"POST": "401 404 404 409 404 409"},
    API + "jobs/<job_id>": {"GET": MEMBERS},
    API + "jobs/<job_id>/cancel": {"POST": "401 404 404 409 404 409"},
    API + "jobs/<job_id>/go-on": {"POST": "401 404 404 409 404 409"},
    API + "challenges": {
        "GET": "401 200 200 200 200 200",
        "POST": "401 202 202 202 202 202",
    },
    API + "challenges/<challenge_id>": {"GET": "401 200 404 404 404 200"},
    API + "certificates": {"GET": PUBLIC},
    API + "certificates/<certificate_id>": {"GET": PUBLIC},
    API + "certificates/<certificate_id>/revocation": {
        "GET": NOBODY,  # but of a revoked one
        "POST": "401 404 404 403 404 422",
    },
    API + "revocations": {"GET": PUBLIC},
    API + "certificates/<certificate_id>/reports/<report>": {"GET": PUBLIC},
    API + "models/<model_id>/reports/<report>": {"GET": MEMBERS},
    API + "parties": {"GET": PUBLIC},
    API + "health": {"GET": "401 404 404 200 200 200"},
    API + "health/check": {"POST": "401 404 404 202 202 202"},
    API + "audit": {"GET": "401 404 404 200 200 200"},
    # allauth's own addresses: its rules, our rows.
    "accounts/login/": {"GET": SENT_HOME},
    "accounts/signup/": {"GET": SENT_HOME},
    "accounts/logout/": {"GET": SENT_TO_LOG_IN},
    "accounts/inactive/": {"GET": PUBLIC},
    "accounts/reauthenticate/": {"GET": SENT_TO_LOG_IN},
    "accounts/reauthenticate/code/": {"GET": "302 302 302 302 302 302"},
    "accounts/reauthenticate/code/confirm/": {"GET": "302 302 302 302 302 302"},
    "accounts/email/": {"GET": SENT_TO_LOG_IN},
    "accounts/confirm-email/": {"GET": PUBLIC},
    "accounts/^confirm-email/(?P<key>[-:\\w]+)/$": {"GET": PUBLIC},
    "accounts/password/change/": {"GET": SENT_TO_LOG_IN},
    "accounts/password/set/": {"GET": "302 302 302 302 302 302"},
    "accounts/password/reset/": {"GET": PUBLIC},
    "accounts/password/reset/done/": {"GET": PUBLIC},
    "accounts/password/reset/key/done/": {"GET": PUBLIC},
    "accounts/^password/reset/key/(?P<uidb36>[0-9A-Za-z]+)-(?P<key>.+)/$": {"GET": PUBLIC},
    "accounts/login/code/confirm/": {"GET": "302 302 302 302 302 302"},
}

FILES = ("/download", "/revocation-list", ".csv", ".pdf", ".svg")
NO_PAGES = {"health/", *(route for route in ROWS if route.startswith(API) or route.endswith(FILES))}


def pages() -> dict[str, str]:
    """Return every address that answers somebody with a page, and the first of the cast who is."""
    shown = {
        route: row["GET"].split()
        for route, row in ROWS.items()
        if route not in NO_PAGES and "GET" in row
    }
    return {route: CAST[got.index("200")] for route, got in shown.items() if "200" in got}
