"""What a picture draws: folded flows, titles, hidden names, the rendered answer."""
