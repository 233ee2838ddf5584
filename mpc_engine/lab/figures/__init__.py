"""The figures of the report: which points each needs, and what it shows of them."""
