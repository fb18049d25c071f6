"""What the run of a command does, once its options are read: a request, its source, its outputs."""
