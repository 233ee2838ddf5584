"""Sentences that several addresses say."""

from __future__ import annotations

from django.utils.translation import gettext_lazy as _

ONLY_MODELER = _("In this study, that is for the modeler to do.")
ONLY_REGULATOR = _("In this study, that is for the regulator to do.")
