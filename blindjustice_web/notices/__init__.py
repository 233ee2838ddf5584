"""Notices by e-mail: what waits for somebody and what has ended, never what it says."""
