"""A run over all tiles: questions go out to workers, answers come back and are blended in the order of tiles."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Mapping
from concurrent.futures import FIRST_COMPLETED, CancelledError, Future, wait
from dataclasses import dataclass, field, replace
from types import TracebackType
from typing import Any, Literal, Protocol, Self

from ..interrupting import TimeIsUp, postponed, seconds_left
from ..telling import Phase, listening, tell_phase
from .answer import TileAnswer, TileQuestion, TileSolver
from .blending import Blender, Deliver
from .tiling import Tile, Tiling

TILE = "tile"
"""What a tile is called where the time that it takes is asked for."""
WAITING = 2
"""How many tiles are asked for at a time for each worker: none waits until the answer before is in its place."""
_GLANCE = 1.0  # seconds; some systems let Ctrl-C through only between two waits


class Workers(ABC):
    """Who completes tiles: this thread, others, other processes, other machines; none is left after a `with` block."""

    @property
    @abstractmethod
    def in_flight(self) -> int:
        """How many tiles to ask them for at a time."""

    @abstractmethod
    def submit(self, work: Callable[..., TileAnswer], *given: Any) -> Future[TileAnswer]:
        """Ask whoever is free next for an answer; the deadline of who asks holds for it."""

    @abstractmethod
    def stop(self) -> None:
        """What has not begun is not done any more, and what has comes to an end as it does when the time is up."""

    @abstractmethod
    def close(self) -> None:
        """Let go of what they need; they have been stopped."""

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self.stop()
        finally:
            self.close()


class ThisThread(Workers):
    """One tile after the other, where the run itself is; Ctrl-C and deadlines reach the solver as they always do."""

    in_flight = 1

    def submit(self, work: Callable[..., TileAnswer], *given: Any) -> Future[TileAnswer]:
        """Do it now."""
        future: Future[TileAnswer] = Future()
        with listening(lambda told: None):  # the run tells about tiles
            future.set_result(work(*given))
        return future

    def stop(self) -> None:
        """There is nothing under way."""

    def close(self) -> None:
        """There is nothing to let go of."""


@dataclass(frozen=True)
class TileFacts:
    """What became of a tile."""

    number: int
    facts: Mapping[str, Any]
    whole: bool
    """Whether its solver came to its own end."""


Stopped = Literal["time", "interrupted", "watch"]


class Keeper(Protocol):
    """Keeps answers, so that they need not be found twice; a `Checkpoint` does."""

    def has(self, number: int) -> bool:
        """Whether there seems to be an answer for a tile."""
        ...

    def find(self, number: int) -> TileAnswer | None:
        """That answer, if there is one after all."""
        ...

    def keep(self, number: int, answer: TileAnswer) -> None:
        """Keep a new answer."""
        ...


@dataclass(eq=False)
class TileRun:
    """All tiles of a tensor, in their order."""

    tiling: Tiling
    ask: Callable[[Tile], TileQuestion]
    solve: TileSolver
    guess: TileSolver
    """The cheapest method, for tiles that there is no time for."""
    deliver: Deliver
    deviations: bool = False
    watch: Callable[[TileFacts], bool] | None = None
    """Called after every tile; True: the rest is guessed."""
    keeper: Keeper | None = None
    stopped: Stopped | None = None
    """What ended it before all tiles were completed."""
    done: list[TileFacts] = field(default_factory=list)
    _asked: dict[int, Future[TileAnswer]] = field(default_factory=dict)
    _answers: dict[int, TileAnswer] = field(default_factory=dict)
    """Those that have come before their turn."""

    def run(self, workers: Workers) -> None:
        """Complete all tiles; Ctrl-C, the end of the time and the watcher leave the rest to a guess."""
        blender = Blender(self.tiling, self.deliver, deviations=self.deviations)
        while len(self.done) < self.tiling.count:
            tile = self.tiling.tiles[len(self.done)]
            try:
                answer = self._answer(tile, workers)
            except KeyboardInterrupt:
                if self.stopped is not None:  # again: no time even for guesses
                    raise
                self._stop("interrupted", workers)
                continue
            except TimeIsUp:
                self._stop("time", workers)
                continue
            try:
                with postponed():
                    blender.add(tile, answer)
                    self.done.append(TileFacts(tile.number, answer.facts, answer.whole))
            except KeyboardInterrupt:
                self._stop("interrupted", workers)
            if not answer.whole:
                self._stop(answer.facts["stop"][0], workers)
            elif self.watch is not None and self.watch(self.done[-1]):
                self._stop("watch", workers)

    def _answer(self, tile: Tile, workers: Workers) -> TileAnswer:
        """That of the tile whose turn it is: kept from before, found now, or guessed."""
        if not self._is_kept(tile.number):
            self._tell(tile.number)
        while True:
            self._ask(workers)
            if tile.number in self._answers:
                return self._answers.pop(tile.number)
            if tile.number in self._asked:
                self._take_next()
            elif self._is_kept(tile.number):
                assert self.keeper is not None
                answer = self.keeper.find(tile.number)
                if answer is not None:
                    return answer
            else:
                return self._guess(tile)

    def _ask(self, workers: Workers) -> None:
        """As many questions as workers take at a time."""
        first = len(self.done)
        for tile in self.tiling.tiles[first : first + workers.in_flight]:
            number = tile.number
            if self.stopped is None and not (number in self._asked or number in self._answers or self._is_kept(number)):
                if seconds_left() <= 0:
                    raise TimeIsUp
                self._asked[number] = workers.submit(self.solve, self.ask(tile))

    def _take_next(self) -> None:
        """What has come, whoever's turn it is; it is kept as soon as it is here."""
        wait(self._asked.values(), timeout=_GLANCE, return_when=FIRST_COMPLETED)
        for number in [number for number, future in self._asked.items() if future.done()]:
            try:
                answer = self._asked[number].result()
            except (CancelledError, TimeIsUp):
                del self._asked[number]
                if self.stopped is None:
                    raise
                continue
            with postponed():
                self._answers[number] = answer
                del self._asked[number]
                if self.keeper is not None and answer.whole:
                    self.keeper.keep(number, answer)

    def _is_kept(self, number: int) -> bool:
        return self.keeper is not None and self.keeper.has(number)

    def _guess(self, tile: Tile) -> TileAnswer:
        guessed = self.guess(self.ask(tile))
        return replace(guessed, facts={**guessed.facts, "stop": (self.stopped, ""), "guessed": True})

    def _stop(self, why: Stopped, workers: Workers) -> None:
        if self.stopped is None:
            self.stopped = why
            workers.stop()

    def _tell(self, number: int) -> None:
        left = sum(not self._is_kept(later) for later in range(number + 1, self.tiling.count))
        later = ((TILE, float(left)),) if left else ()
        tell_phase(Phase("completing", TILE, number + 1, self.tiling.count, later=later))
