"""Per-tenant models: embeddings and summaries, what they cost, and what they find."""
