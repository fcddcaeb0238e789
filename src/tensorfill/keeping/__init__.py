"""Keeping: what survives a process that is killed, in files that are whole and unchanged, or as good as gone."""
