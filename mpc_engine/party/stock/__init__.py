"""Material of verifications made ahead: kept in encrypted halves, each used once or never."""
