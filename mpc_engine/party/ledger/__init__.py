"""What was asked of people's answers: counted by each party for itself, compared, and told."""
