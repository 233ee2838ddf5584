"""Sentences about what was found, and about what can be foreseen."""
