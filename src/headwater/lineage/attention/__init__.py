"""What somebody should look at now: runs that failed, and datasets that were not written when they should have been."""
