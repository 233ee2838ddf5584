"""Closing a cohort: agree on the record list, then drop rows whose answers are not one-hot."""
