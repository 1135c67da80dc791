"""Facts, their merge rules, and walks over them. Pure."""
