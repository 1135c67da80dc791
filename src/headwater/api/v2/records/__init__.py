"""Records of answers and examples of them, for the description of the API."""
