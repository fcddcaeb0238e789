"""A run over all tiles: questions go out to workers, answers come back and are blended in the order of tiles."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from concurrent.futures import Future
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol

from ..interrupting import TimeIsUp, postponed, seconds_left
from ..telling import Phase, listening, tell_phase
from .answer import TileAnswer, TileQuestion, TileSolver
from .blending import Blender, Deliver
from .tiling import Tile, Tiling

TILE = "tile"
"""What a tile is called where the time that it takes is asked for."""


class Workers(Protocol):
    """Who completes tiles: this thread, others, other processes, other machines."""

    in_flight: int
    """How many tiles they work on at a time."""

    def submit(self, work: Callable[..., TileAnswer], *given: Any) -> Future[TileAnswer]:
        """Ask for an answer."""
        ...

    def stop(self) -> None:
        """Let what is under way come to an end soon."""
        ...


class ThisThread:
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


@dataclass(frozen=True)
class TileFacts:
    """What became of a tile."""

    number: int
    facts: Mapping[str, Any]
    whole: bool
    """Whether its solver came to its own end."""


Stopped = Literal["time", "interrupted", "watch"]


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
    stopped: Stopped | None = None
    """What ended it before all tiles were completed."""
    done: list[TileFacts] = field(default_factory=list)

    def run(self, workers: Workers) -> None:
        """Complete all tiles; Ctrl-C, the end of the time and the watcher leave the rest to a guess."""
        blender = Blender(self.tiling, self.deliver, deviations=self.deviations)
        asked: dict[int, Future[TileAnswer]] = {}
        while len(self.done) < self.tiling.count:
            tile = self.tiling.tiles[len(self.done)]
            try:
                self._ask(asked, workers)
                answer = asked[tile.number].result() if tile.number in asked else self._guess(tile)
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
                    asked.pop(tile.number, None)
                    self.done.append(TileFacts(tile.number, answer.facts, answer.whole))
            except KeyboardInterrupt:
                self._stop("interrupted", workers)
            if not answer.whole:
                self._stop(answer.facts["stop"][0], workers)
            elif self.watch is not None and self.watch(self.done[-1]):
                self._stop("watch", workers)

    def _ask(self, asked: dict[int, Future[TileAnswer]], workers: Workers) -> None:
        """As many questions as workers take at a time."""
        first = len(self.done)
        for tile in self.tiling.tiles[first : first + workers.in_flight]:
            if self.stopped is None and tile.number not in asked:
                if seconds_left() <= 0:
                    raise TimeIsUp
                self._tell(first)
                asked[tile.number] = workers.submit(self.solve, self.ask(tile))

    def _guess(self, tile: Tile) -> TileAnswer:
        guessed = self.guess(self.ask(tile))
        return replace(guessed, facts={**guessed.facts, "stop": (self.stopped, ""), "guessed": True})

    def _stop(self, why: Stopped, workers: Workers) -> None:
        if self.stopped is None:
            self.stopped = why
            workers.stop()

    def _tell(self, done: int) -> None:
        left = self.tiling.count - done - 1
        later = ((TILE, float(left)),) if left else ()
        tell_phase(Phase("completing", TILE, done + 1, self.tiling.count, later=later))
