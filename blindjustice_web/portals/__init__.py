"""Pages, one package per audience."""
