"""Parts that all answers share: records, pages, times and texts."""
