"""The operator's commands, on the machine of the party."""
