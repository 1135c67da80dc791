"""Commands that ask about lineage."""
