"""Files that are handed over: models, certificates, decision records, revocations."""
