"""A local overlay: versions over a chain of blocks, with proofs, confirmations and reorgs."""
