"""What a user can do wrong, as exceptions whose message says what would be right."""


class TensorfillError(ValueError):
    """Input that cannot be used as given; the message is one sentence that says what is wrong and what would be right.

    All errors that tensorfill raises because of its input derive from this class, which is a `ValueError`.

    Examples
    --------
    >>> import tensorfill
    >>> try:
    ...     tensorfill.complete([[1.0, float("nan")], [2.0, 3.0]], method="nonneg-dual", rank=0)
    ... except tensorfill.TensorfillError as error:
    ...     print(type(error).__name__)
    InvalidSetting
    """


class InvalidInput(TensorfillError):
    """The data or its mask cannot be used."""


class InvalidSetting(TensorfillError):
    """A setting of a method is unknown or outside what the method allows."""


class UnreadableFile(TensorfillError):
    """A file cannot be read in the format its name promises."""


class UnwritableFile(TensorfillError):
    """A file cannot be written where it is to go."""


class DataNotFound(TensorfillError):
    """The file of a dataset is not there; the message says where to get it."""


class TooLarge(TensorfillError):
    """The full tensor was asked for and would not fit in this machine's memory."""


class WorkersLost(TensorfillError):
    """Processes or machines that should work cannot be reached, or ended before they were done."""


class TensorfillWarning(UserWarning):
    """Something that a user should know, although the work continued.

    Examples
    --------
    >>> import tensorfill, warnings
    >>> with warnings.catch_warnings():
    ...     warnings.simplefilter("error", tensorfill.TensorfillWarning)  # stop instead
    """


class UnrecoverableSlice(TensorfillWarning):
    """A slice without a single observed entry: nothing in the data says what belongs there."""


def must_be(setting: str, requirement: str, got: object) -> str:
    """One kind of sentence for every wrong setting.

    >>> must_be("rank", "be at least 1", 0)
    "'rank' must be at least 1. Got 0 instead."
    """
    return f"'{setting}' must {requirement}. Got {got!r} instead."
