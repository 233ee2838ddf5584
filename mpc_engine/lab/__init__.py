"""The lab: the experiments of the paper, reproduced, and what lies beyond them.

Everything runs in the clear on public data; where the arithmetic is the secure run's, it is the
oracle's. ``python -m mpc_engine.lab`` writes a report; ``docs/lab.md`` says what is in it.
"""
