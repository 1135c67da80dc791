"""Drawing of a picture: folded flows, titles, hidden names, the rendered answer."""
