"""Real processes: Redis, the site, its worker and both parties."""
