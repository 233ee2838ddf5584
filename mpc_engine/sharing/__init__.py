"""What a person sends and what a party keeps: envelopes, intake, records, fixed-point encoding."""
