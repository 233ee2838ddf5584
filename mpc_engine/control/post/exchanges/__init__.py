"""The table of the post: each order beside the messages that answer and refuse it, by subject."""
