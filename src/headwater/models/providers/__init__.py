"""Providers of embeddings and summaries."""
