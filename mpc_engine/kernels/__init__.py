"""Compiled single-threaded loops over uint64 arrays: AES, garbling, circuit evaluation.

Kernels release the interpreter lock, allocate nothing per block and never branch or look up a table
by a secret. Each has a slow twin in ``mpc_engine.testing.twins`` that the tests hold against it.
"""
