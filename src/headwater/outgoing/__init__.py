"""The one way out: every HTTP request that Headwater makes to an address that somebody configured."""
