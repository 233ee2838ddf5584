"""The Celery worker: takes orders, meets the other party, rehearses before it works."""
