"""Slow, independent NumPy versions of the compiled kernels, one module for each."""
