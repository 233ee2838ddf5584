"""Two-party engine of Blind Justice: people share, two parties certify and verify."""
