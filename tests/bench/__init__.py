"""Rates of the building blocks: ``./run bench``. Nothing here is collected by ``./run test``."""
