"""The web zone of Blind Justice: a blind courier and a notice board."""
