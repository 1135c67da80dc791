"""The archive: the event log as Parquet files, a folder per tenant and day."""
