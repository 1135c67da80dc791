"""Work after the commit: tasks are planned, claimed in batches, executed and written back."""
