"""A small real agent to point the daemon at, and everything to watch it go wrong."""
