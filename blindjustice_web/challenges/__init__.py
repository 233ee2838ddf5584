"""Challenges of decisions: cases with a deadline and an outcome."""
