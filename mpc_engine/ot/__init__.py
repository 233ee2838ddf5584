"""Oblivious transfer: public-key base OTs, and their extension to millions by symmetric work."""
