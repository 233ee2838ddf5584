"""Pages for anyone."""
