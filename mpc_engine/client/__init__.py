"""Python client of a running site: take part, act for an organisation, export a model."""
