"""SQL stores: writing and reading. The only package that talks to a database."""
