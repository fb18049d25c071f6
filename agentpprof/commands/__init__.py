"""The commands: options in, one library call, bytes out, an exit code."""
