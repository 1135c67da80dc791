"""Large events in several transactions, finished after a crash."""
