"""HTTP: routes, errors, rendering. Handlers authenticate, parse, call one function, and render."""
