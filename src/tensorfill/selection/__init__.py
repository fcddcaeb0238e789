"""Choosing between methods: how entries are missing, which are held out in the same way, how predictions are judged."""
