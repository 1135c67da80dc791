"""What needs attention now: failed runs, and datasets that are overdue."""
