"""Pages of regulators."""
