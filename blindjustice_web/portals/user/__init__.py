"""Pages of people whose data is used."""
