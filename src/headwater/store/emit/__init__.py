"""Overlays, sinks, versions and the outbox of the overlay adapter; in no log and in no dump."""
