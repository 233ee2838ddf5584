"""How all that is signed or sent is written: canonical JSON, fields, names, approvals."""
