"""Description of the API, from declarations beside its handlers."""
