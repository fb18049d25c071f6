"""What a call means: tool, input and folder come in, a Meaning goes out; nothing is touched."""
