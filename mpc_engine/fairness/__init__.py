"""Fairness criteria as integer predicates: one definition for the oracle and for the circuit."""
