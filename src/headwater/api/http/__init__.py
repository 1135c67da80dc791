"""HTTP itself: connections, heads, bodies, encodings, TLS; nothing of Headwater's meaning."""
