"""The graph as Marquez renders it: its shapes, its names, its order; one file per resource."""
