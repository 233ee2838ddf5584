"""Integers modulo a power of two, their additive sharing, and exact fixed-point encoding."""
