"""Arithmetic in Z_2^64 and exact fixed-point encoding."""
