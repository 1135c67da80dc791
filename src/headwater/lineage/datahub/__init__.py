"""What DataHub's clients say and ask of lineage, in terms of edges made by hand."""
