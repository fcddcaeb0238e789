"""The files that `real_files.py` damages, completes and checks."""
