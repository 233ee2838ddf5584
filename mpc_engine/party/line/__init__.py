"""The line to the other party: opening it, agreeing on the session, keeping its time."""
