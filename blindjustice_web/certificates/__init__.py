"""Models handed in, certification verdicts and certificates."""
