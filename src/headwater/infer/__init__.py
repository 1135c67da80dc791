"""What the SQL of an event says of the columns of its datasets: pure, for the pipeline and for questions alike."""
