"""Pages of modelers."""
