"""The overlay adapter: publishes and recalls of an overlay as deterministic OpenLineage events, sent to sinks."""
