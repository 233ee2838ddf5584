"""Everything on one machine: the zones of Blind Justice as processes under one supervisor."""
