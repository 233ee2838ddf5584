"""Bytes on the wire: strict encoding and decoding."""
