"""Commands, one file each, in folders by subject."""
