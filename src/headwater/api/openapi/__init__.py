"""The description of the API, made of what is declared beside its handlers."""
