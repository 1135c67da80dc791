"""Work inside a Spark task: read, decode, interpret, fold."""
