"""Spark itself: session, Java, package for the executors, schemas, failures and outages."""
