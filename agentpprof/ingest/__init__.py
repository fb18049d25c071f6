"""From log files to rows: find, read, decode, assemble, save; one transaction a batch."""
