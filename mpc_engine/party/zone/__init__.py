"""What a party has of its own: configuration, keys, encrypted store, post box."""
