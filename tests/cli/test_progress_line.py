"""The live lines."""

from __future__ import annotations

import io
import re

import pytest

from tensorfill import telling
from tensorfill.cli import progress
from tensorfill.cli.console import describe_step
from tensorfill.completion import Iteration
from tensorfill.telling import Phase, Round, TimeAhead, estimate_left


class Clock:
    """A clock that is set by hand."""

    def __init__(self) -> None:
        self.now = 100.0

    def monotonic(self) -> float:
        return self.now

    def process_time(self) -> float:
        """On two cores that nobody else uses."""
        return self.now * progress._CORES_USED


class Terminal(io.StringIO):
    """A terminal that keeps what it was sent."""

    def isatty(self) -> bool:
        return True


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    hand = Clock()
    monkeypatch.setattr(progress, "time", hand)
    return hand


def terminal(monkeypatch: pytest.MonkeyPatch) -> Terminal:
    """Standard error as a terminal; not a fixture, because pytest sets it anew when a test starts."""
    stream = Terminal()
    monkeypatch.setattr("sys.stderr", stream)
    monkeypatch.setenv("COLUMNS", "80")
    monkeypatch.setenv("TERM", "xterm")
    return stream


@pytest.mark.parametrize(
    ("measures", "told"),
    [
        ({"gradient_norm": 0.00123, "active": 7, "relative_gap": 0.02}, "  gradient 1.23e-03  gap 2.00e-02"),
        ({"gradient_norm": 0.5}, "  gradient 5.00e-01"),
        ({}, ""),
    ],
)
def test_an_iteration_in_one_line_with_what_its_method_measures(measures: dict[str, float], told: str) -> None:
    assert describe_step(Iteration(12, 3.0, 123.456789, measures)) == f"iteration 12  cost 123.457{told}"


@pytest.mark.parametrize("quiet", [False, True])
def test_quietly_or_without_a_terminal_nothing_moves(monkeypatch: pytest.MonkeyPatch, quiet: bool) -> None:
    stream = terminal(monkeypatch) if quiet else io.StringIO()
    monkeypatch.setattr("sys.stderr", stream)
    with progress.ProgressLine(quiet=quiet) as line:
        line.begin("a.png", 10.0)
        line.note("Something, with lower=None.")
    assert stream.getvalue() == ("" if quiet else "Note: Something, with --lower none.\n")


@pytest.mark.parametrize("truth", [8.0, 10.0, 12.0, 15.0])
def test_in_the_middle_of_a_run_the_time_left_is_about_right(truth: float) -> None:
    """Within a factor of two, with a forecast of 10 s that is off by up to a half."""
    for share in (0.5, 0.6, 0.7):
        told, left = estimate_left(10.0, share * truth, telling._SPREAD), (1 - share) * truth
        assert left / 2 < told < 2 * left


@pytest.mark.parametrize("spread", [0.25, 0.4])
def test_the_time_left_is_never_zero_and_the_bar_never_goes_back(spread: float) -> None:
    moments = [0.01 * 1.2**step for step in range(60)]
    left = [estimate_left(10.0, moment, spread) for moment in moments]
    assert min(left) > 0
    shares = [round(moment / (moment + rest), 9) for moment, rest in zip(moments, left, strict=True)]
    assert shares == sorted(shares)


def test_without_a_forecast_nothing_is_told_about_the_time_left() -> None:
    assert estimate_left(0.0, 5.0, 0.6) == 0.0


def test_earlier_files_correct_the_forecast(clock: Clock) -> None:
    line = progress.ProgressLine(5)
    for _ in range(2):
        line.begin("a.png", 10.0)
        clock.now += 30.0
        line.pause()
        line.finish()
    line.begin("b.png", 20.0)
    assert line.time_left() == pytest.approx(60.0)
    assert line.time_left_in_all() == pytest.approx(60.0 + 2 * 30.0)
    clock.now += 30.0
    assert line.time_left() == pytest.approx(30.0, rel=0.1)


def test_a_file_that_fails_says_nothing_about_the_pace(clock: Clock) -> None:
    line = progress.ProgressLine(3)
    line.begin("broken.png", 10.0)
    clock.now += 0.01
    line.finish()
    line.begin("b.png", 10.0)
    assert line.time_left() == pytest.approx(10.0)


def test_a_long_name_is_shortened_in_its_middle() -> None:
    assert progress.shorten("short.png", 12) == "short.png"
    assert progress.shorten("a_photo_of_a_holiday.png", 12) == "a_phot…y.png"


def test_the_lines_fit_80_columns_and_vanish(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = terminal(monkeypatch)
    with progress.ProgressLine(3) as line:
        line.begin("a_photo_with_a_rather_long_name_of_a_holiday_in_the_mountains.png", 10_000.0)
        line.tell("iteration 12345  cost 123.457  gradient 1.23e-03  gap 2.00e-02  and more than fits into the line")
    drawn, _, deleted = stream.getvalue().rpartition("\x1b[?25h")
    lines = [part for part in _without_codes(drawn).splitlines() if part.strip()]
    assert lines[-3].startswith("0 of 3 files", 2)
    assert lines[-3].rstrip().endswith("left")
    assert lines[-2].startswith("a_photo_wit…untains.png ", 2)
    assert lines[-1].rstrip().endswith("…")
    assert all(len(part) <= 80 for part in lines)
    assert deleted.count("\x1b[1A\x1b[2K") == 3, "up and clear, for each of three lines"


def test_what_is_printed_between_files_is_not_deleted(monkeypatch: pytest.MonkeyPatch) -> None:
    """Lines of rich that are started again go up as many lines as they had before, over what was printed since."""
    stream = terminal(monkeypatch)
    with progress.ProgressLine(2) as line:
        line.begin("a.png", 1.0)
        line.pause()
        line.begin("b.png", 1.0)
    ups = stream.getvalue().split("b.png")[0].split("a.png")[-1].count("\x1b[1A")
    assert ups == 3, "those that clear the lines of the first file, and no more"


def _without_codes(text: str) -> str:
    return re.sub(r"\x1b\[[0-9;?]*[A-Za-z]", "", text).replace("\r", "\n")


class TestTimeAhead:
    """What is left, by phases: a plan of methods that are forecast to take 10 s each."""

    PLAN = (("b", 1.0), ("c", 1.0))

    @staticmethod
    def ahead(clock: Clock, **more: object) -> TimeAhead:
        return TimeAhead(30.0, lambda name: 10.0, worked=lambda: clock.now, **more)  # type: ignore[arg-type]

    def test_what_comes_later_counts(self, clock: Clock) -> None:
        left = self.ahead(clock)
        left.enter(Phase("comparing", "a", 1, 3, later=self.PLAN))
        assert left.left() == pytest.approx(30.0)

    def test_a_phase_that_took_longer_corrects_the_rest_a_little(self, clock: Clock) -> None:
        left = self.ahead(clock)
        left.enter(Phase("comparing", "a", 1, 3, later=self.PLAN))
        clock.now += 30.0
        left.enter(Phase("comparing", "b", 2, 3, later=self.PLAN[1:]))
        assert 25.0 < left.left() < 40.0, "two more, each between its forecast of 10 s and the 30 s of the first"

    def test_a_method_that_runs_again_takes_as_long_as_before(self, clock: Clock) -> None:
        left = self.ahead(clock)
        left.enter(Phase("comparing", "a", 1, 2, later=(("a", 1.0),)))
        clock.now += 50.0
        left.enter(Phase("completing", "a"))
        assert left.left() == pytest.approx(50.0)

    def test_one_that_takes_longer_than_it_should_will_do_so_again(self, clock: Clock) -> None:
        left = self.ahead(clock)
        left.enter(Phase("comparing", "a", 1, 2, later=(("a", 1.0),)))
        clock.now += 30.0
        assert left.left() > 30.0

    def test_rounds_tell_how_long_a_phase_will_take_once_one_is_over(self, clock: Clock) -> None:
        left = self.ahead(clock)
        left.enter(Phase("completing", "a"))
        left.begin_round(Round(4))
        clock.now += 3.0
        assert left.left() == pytest.approx(estimate_left(10.0, 3.0, telling._SPREAD)), "no round has ended yet"
        left.begin_round(Round(3))
        assert left.left() == pytest.approx(9.0)
        clock.now += 4.0
        assert 4.0 < left.left() < 7.0
        left.begin_round(Round(1))
        assert left.left() == pytest.approx(4.0)

    def test_rounds_belong_to_their_phase(self, clock: Clock) -> None:
        left = self.ahead(clock)
        left.enter(Phase("comparing", "a", 1, 2, later=(("b", 1.0),)))
        for rounds in (2, 1):
            left.begin_round(Round(rounds))
            clock.now += 5.0
        left.enter(Phase("comparing", "b", 2, 2))
        assert left.left() == pytest.approx(10.0, rel=0.1)

    def test_without_phases_rounds_count_too(self, clock: Clock) -> None:
        left = self.ahead(clock)
        for rounds in (3, 2):
            clock.now += 7.0
            left.begin_round(Round(rounds))
        assert left.left() == pytest.approx(14.0)

    def test_a_part_of_a_run_takes_less_and_says_nothing_about_a_whole_one(self, clock: Clock) -> None:
        left = self.ahead(clock)
        left.enter(Phase("comparing on a part", "a", later=(("a", 1.0),), part=0.2))
        assert left.left() == pytest.approx(2.0 + 10.0)
        clock.now += 2.0
        left.enter(Phase("comparing", "a"))
        assert left.left() == pytest.approx(10.0)

    def test_without_phases_the_forecast_of_the_whole_counts(self, clock: Clock) -> None:
        left = self.ahead(clock)
        clock.now += 10.0
        assert left.left() == pytest.approx(estimate_left(30.0, 10.0, telling._SPREAD))


def test_a_busy_machine_makes_seconds_longer(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    line = progress.ProgressLine()
    line.begin("a.png", 100.0)
    work = clock.process_time()
    clock.now += 40.0
    monkeypatch.setattr(clock, "process_time", lambda: work + 10.0 * progress._CORES_USED)
    assert line.time_left() == pytest.approx(4 * 90.0, rel=0.1), "10 s of work took 40 s, and 90 s of it are left"


def test_the_phase_stands_before_what_is_done_in_it(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = terminal(monkeypatch)
    with progress.ProgressLine() as line:
        line.begin("a.png", 10.0)
        line.enter(Phase("comparing", "t-ctv", 2, 4))
        line.tell("iteration 3")
    assert "comparing: t-ctv, 2 of 4  iteration 3" in _without_codes(stream.getvalue())
