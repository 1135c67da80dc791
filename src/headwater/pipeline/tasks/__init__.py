"""What runs inside a Spark task: read, decode, interpret, fold."""
