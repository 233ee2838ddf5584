"""Building blocks on people's bits: two locks, sums over people, bound re-entry, label transfer."""
