"""The doors to the engine: nothing else of the site imports it."""
