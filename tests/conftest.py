"""What all tests need."""

import signal

collect_ignore = ["conftest.py"]  # it has no doctests, and there is another file of that name

# In the background of a shell Ctrl-C is ignored, and so it would be by the processes that tests start and interrupt.
if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
    signal.signal(signal.SIGINT, signal.default_int_handler)
