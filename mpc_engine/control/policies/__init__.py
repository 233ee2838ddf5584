"""What a regulator asks of models: criteria, thresholds, groups, questions, and their sentences."""
