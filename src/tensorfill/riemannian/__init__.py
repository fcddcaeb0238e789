"""Manifolds and optimisers on them; nothing here knows what is being optimised."""
