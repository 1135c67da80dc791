"""One dataset, job, run, user, location or statement: all that is known of it."""
