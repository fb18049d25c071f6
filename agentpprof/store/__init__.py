"""The one SQLite database: opened, migrated, written and read here and nowhere else."""
