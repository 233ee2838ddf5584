#!/usr/bin/env python
"""Run an administrative command of the site."""

from __future__ import annotations

import os
import sys


def main() -> None:
    """Run Django's command line with the settings of the site."""
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "blindjustice_web.config.settings")
    from django.core.management import execute_from_command_line

    execute_from_command_line(sys.argv)


if __name__ == "__main__":
    main()
