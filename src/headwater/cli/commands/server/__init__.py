"""`headwater up` and the processes that it starts."""
