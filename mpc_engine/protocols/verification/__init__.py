"""Verification: was a decision made by the certified model?"""
