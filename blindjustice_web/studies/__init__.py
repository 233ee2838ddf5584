"""Studies, their configuration and the proposals both parties approve."""
