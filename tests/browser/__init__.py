"""A real Chromium against a running installation, as people use it."""
