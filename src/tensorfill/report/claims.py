"""The claims of the paper's text, each beside its own table and our rows, with a verdict that follows from them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from . import numbers
from .comparison import PaperCell
from .evidence import Cell, Evidence, Setup, error_at, first_runs, largest_rise, rank_points
from .published import load_published
from .sections import METHOD, NOTICEABLE, component_runs, write_section
from .table import Section, Table, prose_column, words

_VISIBLE = 0.01
"""A rise or fall of the error by less than this share cannot be seen in a figure."""
_LATE = 100
"""The iteration after which the paper sees no improvement on most data."""
_SATURATED = 10.0
"""The rank at which the paper sees the error saturate."""
_PICTURES = ("baboon", "splash")
_CLIPS = ("hall", "highway")


@dataclass(frozen=True)
class Claim:
    """A claim in our words, what the paper's table and our rows say about it, and whether it stands."""

    said: str
    by_the_paper: str = ""
    by_our_rows: str = ""
    verdict: str = "not judged"


def judge_claims(evidence: Evidence, setup: Setup, cells: tuple[PaperCell, ...]) -> Section:
    """All of them in one table."""
    found = (
        _judge_monotony(evidence, setup),
        _judge_late_iterations(evidence, setup),
        _judge_saturation(evidence),
        _judge_best(cells),
        _judge_hall(cells),
        _judge_braga(cells),
        *(_judge_dual(cells, dataset, times) for dataset, times in zip(_PICTURES, (3, 5), strict=True)),
        _judge_reason(evidence, setup),
        _judge_darkness(evidence, setup),
        _judge_components(evidence, setup),
    )
    prose = write_section("claims")
    head = tuple(prose_column(name) for name in ("claim", "the paper's own figures", "our rows", "verdict"))
    rows = tuple(
        (words(claim.said), words(claim.by_the_paper or "–"), words(claim.by_our_rows or "–"), words(claim.verdict))
        for claim in found
    )
    return replace(prose, blocks=(*prose.blocks, Table("claims", prose.title, head, rows)))


# Iterations and ranks


def _judge_monotony(evidence: Evidence, setup: Setup) -> Claim:
    said = "The RMSE falls monotonically with the iterations (Figure 1a)."
    runs = first_runs(evidence, setup, evidence.published_label(METHOD), lambda run: run.curve)
    if not runs:
        return Claim(said, by_our_rows="no curve")
    rises = {dataset: largest_rise(run) for dataset, run in runs.items()}
    broken = [evidence.title(name) for name, rise in rises.items() if rise >= _VISIBLE]
    nearly = f"it rises by less than {numbers.percent(_VISIBLE)}"
    if broken:
        elsewhere = f"; elsewhere {nearly}" if len(broken) < len(rises) else ""
        verdict = f"does not hold on {numbers.join(broken)}{elsewhere}"
    else:
        verdict = f"nearly: {nearly}" if max(rises.values()) > 0 else "holds"
    falling = [evidence.title(dataset) for dataset, rise in rises.items() if rise == 0]
    rising = [f"{evidence.title(dataset)} {numbers.share(rise)}" for dataset, rise in rises.items() if rise > 0]
    ours = [f"never rises on {numbers.join(falling)}."] if falling else []
    ours += [f"Largest rise above its lowest value: {', '.join(rising)}."] if rising else []
    return Claim(said, by_our_rows=" ".join(ours), verdict=verdict)


def _judge_late_iterations(evidence: Evidence, setup: Setup) -> Claim:
    said = f"After {_LATE} iterations it hardly improves on most data."
    runs = first_runs(evidence, setup, evidence.published_label(METHOD), lambda run: run.curve)
    falls = {
        dataset: 1 - run.curve[-1][2] / late
        for dataset, run in runs.items()
        if (late := error_at(run, _LATE)) is not None and run.curve[-1][0] > _LATE
    }
    if not falls:
        return Claim(said, by_our_rows="no run is that long")
    small = sum(fall < _VISIBLE for fall in falls.values())
    each = ", ".join(f"{evidence.title(dataset)} {-100 * fall:+.2f} %" for dataset, fall in falls.items())
    ours = f"From iteration {_LATE} to the end the RMSE changes by: {each}."
    share = f"less than {numbers.percent(_VISIBLE)} on {small} of {len(falls)}"
    return Claim(said, by_our_rows=ours, verdict=f"{_holds(2 * small > len(falls))} ({share})")


def _judge_saturation(evidence: Evidence) -> Claim:
    said = f"A larger rank lowers the RMSE, up to {_SATURATED:g}, where it saturates (Figure 1b)."
    told, broken = [], []
    for dataset, lines in next(iter(rank_points(evidence).values()), {}).items():
        line = next((dict(line) for label, line in lines.items() if evidence.labels[label] == METHOD), {})
        if _SATURATED not in line or max(line) <= _SATURATED:
            continue
        best, largest = min(line, key=line.__getitem__), max(line)
        if best < _SATURATED or line[largest] > line[_SATURATED] * (1 + _VISIBLE):
            broken.append(evidence.title(dataset))
        told.append(
            f"{evidence.title(dataset)}: lowest at rank {best:g} ({numbers.error(line[best])}), "
            f"{numbers.error(line[_SATURATED])} at {_SATURATED:g}, {numbers.error(line[largest])} at {largest:g}"
        )
    if not told:
        return Claim(said, by_our_rows="no experiment `ranks` that goes beyond it")
    verdict = f"contradicted on {numbers.join(broken)}" if broken else "holds"
    return Claim(said, by_our_rows=f"{'; '.join(told)}.", verdict=verdict)


# Who is better, and by which factor


def _judge_best(cells: tuple[PaperCell, ...]) -> Claim:
    said = "The proposed method is the best on hyperspectral images and videos, and second to LRTC-TV on colour images."
    expected = {dataset: 1 if dataset in _PICTURES else 0 for dataset in load_published().datasets}
    row = load_published().named("proposed")
    by_the_paper = all(load_published().place(dataset, row) == place for dataset, place in expected.items())
    told, kept = [], []
    for dataset, place in expected.items():
        ours = _our_errors(cells, dataset)
        if "proposed" in ours and len(ours) > 1:
            order = sorted(ours, key=ours.__getitem__)
            kept.append(order.index("proposed") == place)
            if not kept[-1]:
                ahead = [f"{name} ({numbers.error(ours[name])})" for name in order[: order.index("proposed")]]
                title = next(cell.judge.data.title for cell in cells if cell.dataset == dataset and cell.judge)
                behind = f"behind {', '.join(ahead)} with {numbers.error(ours['proposed'])}"
                told.append(f"{title.capitalize()}: {behind}")
    rows = f"So on {sum(kept)} of {len(kept)} datasets. {'; '.join(told)}{'.' if told else ''}".strip() if kept else ""
    verdict = _holds(by_the_paper) + " in the paper's table" + ("" if not kept else f"; here {_holds(all(kept))}")
    return Claim(said, "so in its table" if by_the_paper else "not so in its table", rows, verdict)


def _judge_hall(cells: tuple[PaperCell, ...]) -> Claim:
    said = "On Hall every baseline but Dual has at least twice the RMSE of the proposed method."
    others = [row.name for row in load_published().rows if row.name not in ("proposed", "Dual")]
    found = [{name: _factors(cells, "hall", name)[which] for name in others} for which in (0, 1)]
    paper, here = ({name: times for name, times in by_name.items() if times is not None} for by_name in found)
    return Claim(said, _below(paper, 2), _below(here, 2) if here else "", _holds(min(paper.values()) >= 2))


def _judge_braga(cells: tuple[PaperCell, ...]) -> Claim:
    said = "On Braga the RMSE of LRTC-TV is 10 times that of the proposed method."
    paper, here = _factors(cells, "braga", "LRTC-TV")
    return Claim(said, f"{paper:.1f} times", f"{here:.1f} times" if here else "no data", _holds(paper >= 9.5))


def _judge_dual(cells: tuple[PaperCell, ...], dataset: str, times: int) -> Claim:
    said = f"On {dataset.capitalize()} the proposed method has {times} times less RMSE than Dual."
    paper, here = _factors(cells, dataset, "Dual")
    verdict = f"{_holds(round(paper) == times)}, roughly"
    return Claim(said, f"{paper:.1f} times", f"{here:.1f} times" if here else "", verdict)


def _factors(cells: tuple[PaperCell, ...], dataset: str, name: str) -> tuple[float, float | None]:
    """The RMSE of a method of the paper over that of the proposed one: in its table, and here."""
    paper, ours = load_published(), _our_errors(cells, dataset)
    here = ours[name] / ours["proposed"] if {name, "proposed"} <= ours.keys() else None
    return paper.named(name).rmse[dataset] / paper.named("proposed").rmse[dataset], here


def _our_errors(cells: tuple[PaperCell, ...], dataset: str) -> dict[str, float]:
    """Our RMSE for the paper's methods on a dataset, at the settings that count."""
    found = {cell.row.name: cell.judge.rmse for cell in cells if cell.dataset == dataset and cell.judge}
    return {name: rmse.mean for name, rmse in found.items() if rmse}


def _below(ratios: dict[str, float], least: float) -> str:
    """The ratios that fall short, or that none does."""
    short = {name: ratio for name, ratio in sorted(ratios.items(), key=lambda pair: pair[1]) if ratio < least}
    return ", ".join(f"{name} {ratio:.2f} times" for name, ratio in short.items()) or f"all at least {least:g} times"


# Nonnegativity and components


def _judge_reason(evidence: Evidence, setup: Setup) -> Claim:
    said = "Nonnegativity is the reason for that."
    told, changes = [], []
    for dataset, without in _pictures(evidence, setup, "dual"):
        within = evidence.cell(setup, dataset, evidence.default_label(METHOD))
        if without.rmse and within.rmse:
            changes.append(abs(within.rmse.mean / without.rmse.mean - 1))
            negative = without.mean(lambda run: run.negative_share)
            share = "" if negative is None else f" (entries below 0: {numbers.share(negative)})"
            told.append(
                f"{evidence.title(dataset)}, at the same λ and C: {numbers.error(without.rmse.mean)} without "
                f"W ≥ 0{share}, {numbers.error(within.rmse.mean)} with it"
            )
    if not told:
        return Claim(said)
    verdict = (
        "does not hold: the same λ and C without nonnegativity give the same RMSE. Inference: what differs is the "
        "setting at which Dual was run"
        if max(changes) < NOTICEABLE
        else "holds in part"
    )
    return Claim(said, "its table has Dual at one setting only", f"{'; '.join(told)}.", verdict)


def _judge_darkness(evidence: Evidence, setup: Setup) -> Claim:
    said = "The pictures of Dual are darker on Baboon and Splash, perhaps because of negative entries."
    found = {
        evidence.title(dataset): share
        for dataset, cell in _pictures(evidence, setup, "dual-demo")
        if (share := cell.mean(lambda run: run.negative_share)) is not None
    }
    if not found:
        return Claim(said)
    each = ", ".join(f"{title} {numbers.share(share)}" for title, share in found.items())
    few = max(found.values()) < _VISIBLE
    verdict = "not for that reason: hardly any entry is negative" if few else "may hold"
    return Claim(said, by_our_rows=f"Entries of `dual-demo` below 0: {each}.", verdict=verdict)


def _pictures(evidence: Evidence, setup: Setup, label: str) -> Sequence[tuple[str, Cell]]:
    cells = evidence.cells(setup, label)
    return [(dataset, cells[dataset]) for dataset in _PICTURES if dataset in cells]


def _judge_components(evidence: Evidence, setup: Setup) -> Claim:
    said = "In videos W(3) is close to the original frame, and W(1) and W(2) have less in them (Figure 2)."
    told, verdicts = [], []
    for dataset, run in component_runs(evidence, setup).items():
        if dataset in _CLIPS and len(run.components) == 3:
            shares, alike = ([f"{value:.2f}" for value in part] for part in zip(*run.components, strict=True))
            most = max(likeness for _, likeness in run.components)
            verdicts.append(f"{_holds(run.components[2][1] == most)} on {evidence.title(dataset)}")
            told.append(
                f"{evidence.title(dataset)}: likeness to the original, stripes aside, {', '.join(alike)}; "
                f"shares of W {', '.join(shares)}"
            )
    if not told:
        return Claim(said, by_our_rows="no run tells about components")
    return Claim(said, by_our_rows=f"{'; '.join(told)}.", verdict="; ".join(verdicts))


def _holds(yes: bool) -> str:
    return "holds" if yes else "does not hold"
