"""One answer for one picture: nodes, flows, jobs, columns, and counts of what was left out."""
