"""QR codes as images of the site's own, which the content-security policy lets a page show."""

from __future__ import annotations

from io import BytesIO

import segno
from django.http import HttpResponse

MOST_BYTES = 2000
"""More would need modules too small for a camera."""


def fits_qr(text: str) -> bool:
    """Return whether a text is short enough for a QR code that a camera reads."""
    return len(text.encode()) <= MOST_BYTES


def qr_svg(text: str) -> bytes:
    """Return a QR code as SVG, black on white in any theme, with its quiet zone.

    ValueError for a text that does not fit: pages ask `fits_qr` before they show a code.
    """
    if not fits_qr(text):
        raise ValueError("too long for a QR code that a camera reads")
    image = BytesIO()
    code = segno.make(text, error="l" if len(text) > 200 else "m", micro=False)
    code.save(image, kind="svg", scale=4, light="#fff", xmldecl=False, nl=False)
    return image.getvalue()


def qr_response(text: str) -> HttpResponse:
    """Return a QR code as an answer."""
    return HttpResponse(qr_svg(text), content_type="image/svg+xml")
