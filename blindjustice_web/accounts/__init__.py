"""People, organisations and their memberships."""
