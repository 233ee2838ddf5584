"""The report of the lab that this site shows: the paper's experiments, computed again."""
