"""Commands for tenants, keys, refused events and changes by hand."""
