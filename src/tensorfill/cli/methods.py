"""`tensorfill methods`: what can be chosen with --method."""

from .app import app


@app.command(epilog="Example: tensorfill methods")
def methods() -> None:
    """List the methods: what each is, whether it is nonnegative, where it comes from."""
    from ..methods.registry import available_methods as registered
    from .console import show_table

    rows = [
        (name, method.summary, "yes" if method.nonnegative else "no", method.reference)
        for name, method in registered().items()
    ]
    show_table(rows, headings=("method", "what it is", "nonnegative", "reference"))
