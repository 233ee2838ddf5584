"""Symmetric and public-key building blocks: randomness, PRG, hashes, signatures, sealing."""
