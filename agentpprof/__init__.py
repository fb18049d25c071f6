"""The profiler for AI coding agents: logs in, one SQLite database, profiles out."""

__version__ = "0.1.0"
