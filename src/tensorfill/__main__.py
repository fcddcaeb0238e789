"""Lets `python -m tensorfill` do what the `tensorfill` command does."""

from .cli import main

if __name__ == "__main__":
    main()
