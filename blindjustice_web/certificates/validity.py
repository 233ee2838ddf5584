"""Whether a certificate is valid now, and how one was taken back."""

from __future__ import annotations

from django.utils import timezone
from django.utils.translation import gettext as _

from blindjustice_web.certificates.models import Certificate, Revocation
from blindjustice_web.lib.named import Named


def revocation_of(certificate: Certificate) -> Revocation | None:
    """Return how a certificate was taken back, or None where it was not."""
    return getattr(certificate, "revocation", None)


def status_of(certificate: Certificate) -> Named:
    """Return whether a certificate is valid today; one taken back never is."""
    now = timezone.now()
    if revocation_of(certificate) is not None:
        return Named("REVOKED", _("Revoked"))
    if now < certificate.valid_from:
        return Named("NOT_YET_VALID", _("Not valid yet"))
    if now >= certificate.valid_until:
        return Named("EXPIRED", _("Expired"))
    return Named("VALID", _("Valid"))
