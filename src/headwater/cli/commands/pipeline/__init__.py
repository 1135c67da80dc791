"""`headwater pipeline` and its commands."""
