"""How much memory this machine has."""

import os


def physical_memory() -> int | None:
    """Bytes of memory, or None where the system does not say."""
    if not hasattr(os, "sysconf"):
        return None
    return os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
