"""The whole job on real data against a running site: share, train, certify, decide, challenge."""
