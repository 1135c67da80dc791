"""One package, so that no other of this name comes first."""
