"""The whole job on real data against a running site: share, certify, decide, challenge."""
