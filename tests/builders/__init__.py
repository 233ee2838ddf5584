"""What tests of every kind build: drafts of studies, policies, and what parties compute.

Without Django, like the engine: see `tests.web.stories` for what a site has.
"""
