"""Rows of the rooms below as pages and the API show them."""
