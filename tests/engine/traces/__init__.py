"""The wire, frozen: a seeded run of each protocol must send the bytes it always sent.

`digests.json` keeps, for every run and each direction of each of its lines, SHA-256 over the frames
in their order, before TLS, with their number and bytes. All of a run's randomness is seeded, by
role and line, so neither the order of threads nor the kernels of the processor show in it. After a
change that is meant to change the wire: ``.venv-engine/bin/python -m tests.engine.traces --write``,
and say in the commit what changed and for whom (both parties must run the same code). To find where
two trees part, compare what ``python -m tests.engine.traces --frames NAME`` prints in both; with
``--portable`` before it, kernels use no AES or vector instructions.
"""
