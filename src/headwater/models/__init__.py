"""Models per tenant: embeddings and summaries, their cost, and search by them."""
