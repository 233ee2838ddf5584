"""Figures: what Plotly draws, the finding as a title, and the same as a table."""
