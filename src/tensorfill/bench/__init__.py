"""The bench: datasets × methods × seeds × sampling rates, one row per run."""
