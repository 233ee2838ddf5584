"""Two-party engine of Blind Justice: sharing, certification and verification on shared sensitive attributes."""
