"""Text to one syntax tree per statement."""
