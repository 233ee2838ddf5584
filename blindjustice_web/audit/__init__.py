"""Who did what when: written with the change it tells of, never changed, chained by digests."""
