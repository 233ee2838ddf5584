"""A party's worker: its keys, its encrypted store, and what it does when the web asks.

Nothing here believes the web: every order is authorised by what it carries.
"""
