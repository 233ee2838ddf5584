"""What both sides sign before people are asked: configurations, data, terms of trainings."""
