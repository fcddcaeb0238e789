"""What all tests need."""

import os
import signal

from hypothesis import settings

import compiled_once
import ready_children

collect_ignore = ["conftest.py"]  # it has no doctests, and there is another file of that name

# In the background of a shell Ctrl-C is ignored, and so it would be by the processes that tests start and interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)

# On a busy machine a single example may take long; what is slow is measured elsewhere.
settings.register_profile("without deadlines", deadline=None)
settings.load_profile("without deadlines")

# Files that are decoded in a child process are decoded soon: what makes it start slowly is loaded once.
ready_children.use()

# Of two processes that test side by side one compiles a kernel, and the other one loads it.
compiled_once.use()

# The machine does not fail while tests run, so that nobody need wait until files have reached its disk.
os.fsync = lambda file: None
