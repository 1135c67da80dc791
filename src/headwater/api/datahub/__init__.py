"""The doors that DataHub's clients use for lineage, and nothing else of DataHub."""
