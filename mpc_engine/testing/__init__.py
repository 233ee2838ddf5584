"""Stand-ins for tests and benchmarks; nothing in production imports this package."""
