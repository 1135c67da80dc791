"""One answer for one picture: nodes, flows between them, jobs and columns, with what was left out."""
