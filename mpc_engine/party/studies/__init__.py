"""What a party keeps of each study: configuration, closed records, states of trainings."""
