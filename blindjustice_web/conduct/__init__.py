"""What the site does when a party says something, and when time passes. It calls down."""
