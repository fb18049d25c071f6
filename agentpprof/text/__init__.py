"""What people read: lines and tables on a terminal or in a pipe, and how far a pass has come."""
