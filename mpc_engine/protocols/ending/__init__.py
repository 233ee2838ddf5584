"""The end of a certification and of a verification: in which order what is opened, and to whom."""
