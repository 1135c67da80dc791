"""Query parameters and forms of answers that several routes share."""
