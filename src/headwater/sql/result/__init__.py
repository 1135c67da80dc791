"""Result of an analysis: records, checks, edges through temporary tables, JSON and text."""
