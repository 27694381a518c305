"""Files of reference managers: one format a file, all read by `read_bibliography`."""
