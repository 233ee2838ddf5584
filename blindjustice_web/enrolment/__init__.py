"""Invitations, sealed submissions and the receipts of the parties."""
