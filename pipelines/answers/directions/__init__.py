"""What a trial found: whether an intervention increased or decreased an outcome, or neither."""
