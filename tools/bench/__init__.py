"""Benchmarks: ``./run bench NAME``. Nothing here is collected by ``./run test``."""
