"""What people are shown, in words, cards, reports and figures; nothing is written here."""
