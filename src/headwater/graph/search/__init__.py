"""Search documents: which words lead to which node."""
