"""Tests of the site: services, pages, API, live updates, and the messages of the parties."""
