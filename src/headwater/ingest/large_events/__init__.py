"""Large events: worked on in a process of their own, so that small ones do not wait."""
