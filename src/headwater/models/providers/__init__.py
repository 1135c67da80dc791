"""What computes embeddings and summaries."""
