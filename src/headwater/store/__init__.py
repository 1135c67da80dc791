"""Where it lives: SQL stores, and what is read from them. The only package that talks to a database."""
