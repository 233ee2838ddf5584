"""What a party does for each kind of order; every write to its store happens here."""
