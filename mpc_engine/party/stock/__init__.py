"""Material of verifications made ahead: encrypted, each item used once or never."""
