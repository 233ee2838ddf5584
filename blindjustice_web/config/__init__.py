"""Settings, addresses and entry points of the site."""
