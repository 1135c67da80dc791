"""Versions of datasets and jobs as Marquez shows them."""
