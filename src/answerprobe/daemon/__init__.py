"""
The composition root: the only place that puts everything together.

A module for each thing that is put together; nothing is imported from here, so that a
command pays only for what it needs.
"""
