"""The API: session log-in with CSRF token, problem documents, description at openapi.json."""

from __future__ import annotations

from ninja import NinjaAPI
from ninja.security import django_auth

from blindjustice_web.api import (
    audit,
    certificates,
    challenges,
    clock,
    data_uploads,
    errors,
    health,
    jobs,
    models,
    parties,
    policies,
    proposals,
    reports,
    studies,
    submissions,
)
from blindjustice_web.api.parser import StrictParser

api = NinjaAPI(
    title="Blind Justice",
    version="1",
    description=(
        "Studies, approvals, sealed submissions, jobs, certificates and challenges. "
        "Log in by the site's form; send the CSRF token in X-CSRFToken. "
        "Errors are application/problem+json with code, detail, kept and next."
    ),
    urls_namespace="api-1",
    auth=django_auth,
    parser=StrictParser(),
    docs_url=None,
)
errors.install(api)
api.add_router("/", studies.router)
api.add_router("/", policies.router)
api.add_router("/", data_uploads.router)
api.add_router("/", submissions.router)
api.add_router("/", models.router)
api.add_router("/", proposals.router)
api.add_router("/", jobs.router)
api.add_router("/", challenges.router)
api.add_router("/", certificates.router)
api.add_router("/", reports.router)
api.add_router("/", parties.router)
api.add_router("/", clock.router)
api.add_router("/", audit.router)
api.add_router("/", health.router)
