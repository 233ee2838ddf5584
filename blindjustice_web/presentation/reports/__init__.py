"""Reports from counts that a policy opened: exact figures, plain documents, and files of them."""
