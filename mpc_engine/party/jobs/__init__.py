"""Jobs of two parties: authorise, meet, run the protocol, agree on the end, report."""
