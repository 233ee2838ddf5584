"""The certificates app."""

from __future__ import annotations

from django.apps import AppConfig


class CertificatesConfig(AppConfig):
    """See the package."""

    name = "blindjustice_web.certificates"
    label = "certificates"
