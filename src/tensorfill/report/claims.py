"""The claims of the paper's text, each beside its own table and our rows, with a verdict that follows from them."""

from __future__ import annotations

from dataclasses import dataclass

from . import numbers
from .comparison import PaperCell
from .evidence import Evidence, Setup, percent
from .figures_in_numbers import component_runs, error_at, first_curves, largest_rise
from .nonnegativity import NOTICEABLE
from .published import published
from .section import Section
from .sweep_points import rank_points
from .table import Column, Table, words

_METHOD = "nonneg-dual"
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
    by_the_paper: str
    by_our_rows: str
    verdict: str


def claims(evidence: Evidence, setup: Setup, cells: tuple[PaperCell, ...]) -> list[Section]:
    """All of them in one table."""
    found = [
        _monotone(evidence, setup),
        _late(evidence, setup),
        _saturation(evidence),
        _best_of_all(cells),
        _twice_on_hall(cells),
        _ten_times_on_braga(cells),
        *(_lower_than_dual(cells, dataset, times) for dataset, times in zip(_PICTURES, (3, 5), strict=True)),
        _nonnegativity_in_pictures(evidence, setup),
        _darker(evidence, setup),
        _components(evidence, setup),
    ]
    title = "The claims of the text"
    head = tuple(
        Column(name, numeric=False, long=True) for name in ("claim", "the paper's own figures", "our rows", "verdict")
    )
    rows = tuple(
        (words(claim.said), words(claim.by_the_paper or "–"), words(claim.by_our_rows or "–"), words(claim.verdict))
        for claim in found
    )
    text = (
        "In our words. The verdict follows from the two columns before it: the paper's printed figures where they "
        "suffice, and our rows, on our masks, where we have any."
    )
    return [Section(title, (text, Table("claims", title, head, rows)))]


def _monotone(evidence: Evidence, setup: Setup) -> Claim:
    said = "The RMSE falls monotonically with the iterations (Figure 1a)."
    runs = first_curves(evidence, setup, evidence.published_label(_METHOD))
    if not runs:
        return Claim(said, "", "no curve", "not judged")
    rises = {dataset: largest_rise(run) for dataset, run in runs.items()}
    told = _each(evidence, {dataset: numbers.share(rise) for dataset, rise in rises.items() if rise > 0})
    broken = [name for name, rise in rises.items() if rise >= _VISIBLE]
    nearly = f"it rises by less than {percent(_VISIBLE)}"
    if broken:
        verdict = f"does not hold on {_titles(evidence, broken)}"
        verdict += f"; elsewhere {nearly}" if len(broken) < len(rises) else ""
    else:
        verdict = f"nearly: {nearly}" if max(rises.values()) > 0 else "holds"
    falling = [dataset for dataset, rise in rises.items() if rise == 0]
    ours = f"never rises on {_titles(evidence, falling)}. " if falling else ""
    return Claim(said, "", f"{ours}{f'Largest rise above its lowest value: {told}.' if told else ''}".strip(), verdict)


def _late(evidence: Evidence, setup: Setup) -> Claim:
    said = f"After {_LATE} iterations it hardly improves on most data."
    falls = {
        dataset: 1 - run.curve[-1][2] / late
        for dataset, run in first_curves(evidence, setup, evidence.published_label(_METHOD)).items()
        if (late := error_at(run, _LATE)) is not None and run.curve[-1][0] > _LATE
    }
    if not falls:
        return Claim(said, "", "no run is that long", "not judged")
    small = sum(fall < _VISIBLE for fall in falls.values())
    told = _each(evidence, {dataset: f"{-100 * fall:+.2f} %" for dataset, fall in falls.items()})
    return Claim(
        said,
        "",
        f"From iteration {_LATE} to the end the RMSE changes by: {told}.",
        f"{_holds(2 * small > len(falls))} (less than {percent(_VISIBLE)} on {small} of {len(falls)})",
    )


def _saturation(evidence: Evidence) -> Claim:
    said = f"A larger rank lowers the RMSE, up to {_SATURATED:g}, where it saturates (Figure 1b)."
    points = next(iter(rank_points(evidence).values()), {})
    told, kept = [], {}
    for dataset, lines in points.items():
        label = next((name for name in lines if evidence.labels[name] == _METHOD), None)
        line = dict(lines[label]) if label else {}
        if _SATURATED not in line or max(line) <= _SATURATED:
            continue
        best, largest = min(line, key=line.__getitem__), max(line)
        kept[dataset] = best >= _SATURATED and line[largest] <= line[_SATURATED] * (1 + _VISIBLE)
        told.append(
            f"{evidence.title(dataset)}: lowest at rank {best:g} ({numbers.error(line[best])}), "
            f"{numbers.error(line[_SATURATED])} at {_SATURATED:g}, {numbers.error(line[largest])} at {largest:g}"
        )
    if not told:
        return Claim(said, "", "no experiment `ranks` that goes beyond it", "not judged")
    broken = [dataset for dataset, held in kept.items() if not held]
    verdict = f"contradicted on {_titles(evidence, broken)}" if broken else "holds"
    return Claim(said, "", f"{'; '.join(told)}.", verdict)


def _best_of_all(cells: tuple[PaperCell, ...]) -> Claim:
    said = "The proposed method is the best on hyperspectral images and videos, and second to LRTC-TV on colour images."
    expected = {dataset: 1 if dataset in _PICTURES else 0 for dataset in published().datasets}
    row = published().named("proposed")
    by_the_paper = all(published().place(dataset, row) == place for dataset, place in expected.items())
    told, kept = [], []
    for dataset in published().datasets:
        ours = _ours(cells, dataset)
        if "proposed" in ours and len(ours) > 1:
            order = sorted(ours, key=ours.__getitem__)
            kept.append(order.index("proposed") == expected[dataset])
            if not kept[-1]:
                ahead = order[: order.index("proposed")]
                told.append(
                    f"{_cell(cells, dataset).capitalize()}: behind "
                    + ", ".join(f"{name} ({numbers.error(ours[name])})" for name in ahead)
                    + f" with {numbers.error(ours['proposed'])}"
                )
    rows = f"So on {sum(kept)} of {len(kept)} datasets. {'; '.join(told)}{'.' if told else ''}".strip() if kept else ""
    verdict = _holds(by_the_paper) + " in the paper's table" + ("" if not kept else f"; here {_holds(all(kept))}")
    return Claim(said, "so in its table" if by_the_paper else "not so in its table", rows, verdict)


def _twice_on_hall(cells: tuple[PaperCell, ...]) -> Claim:
    said = "On Hall every baseline but Dual has at least twice the RMSE of the proposed method."
    others = [row for row in published().rows if row.name not in ("proposed", "Dual")]
    best = published().named("proposed").rmse["hall"]
    paper = {row.name: row.rmse["hall"] / best for row in others}
    ours = _ours(cells, "hall")
    here = {row.name: ours[row.name] / ours["proposed"] for row in others if {row.name, "proposed"} <= ours.keys()}
    return Claim(said, _below(paper, 2), _below(here, 2) if here else "", _holds(min(paper.values()) >= 2))


def _ten_times_on_braga(cells: tuple[PaperCell, ...]) -> Claim:
    said = "On Braga the RMSE of LRTC-TV is 10 times that of the proposed method."
    paper = published().named("LRTC-TV").rmse["braga"] / published().named("proposed").rmse["braga"]
    ours = _ours(cells, "braga")
    here = f"{ours['LRTC-TV'] / ours['proposed']:.1f} times" if {"LRTC-TV", "proposed"} <= ours.keys() else "no data"
    return Claim(said, f"{paper:.1f} times", here, _holds(paper >= 9.5))


def _lower_than_dual(cells: tuple[PaperCell, ...], dataset: str, times: int) -> Claim:
    said = f"On {dataset.capitalize()} the proposed method has {times} times less RMSE than Dual."
    paper = published().named("Dual").rmse[dataset] / published().named("proposed").rmse[dataset]
    ours = _ours(cells, dataset)
    here = f"{ours['Dual'] / ours['proposed']:.1f} times" if {"Dual", "proposed"} <= ours.keys() else ""
    return Claim(said, f"{paper:.1f} times", here, f"{_holds(round(paper) == times)}, roughly")


def _nonnegativity_in_pictures(evidence: Evidence, setup: Setup) -> Claim:
    said = "Nonnegativity is the reason for that."
    label, told, changes = evidence.default_label(_METHOD), [], []
    for dataset in _PICTURES:
        if dataset not in evidence.datasets_at(setup) or not {"dual", label} <= set(evidence.labels_at(setup)):
            continue
        without, within = evidence.cell(setup, dataset, "dual"), evidence.cell(setup, dataset, label)
        negative = without.over_seeds(lambda run: run.negative_share)
        if without.rmse and within.rmse:
            changes.append(abs(within.rmse.mean / without.rmse.mean - 1))
            share = f" (entries below 0: {numbers.share(negative.mean)})" if negative else ""
            told.append(
                f"{evidence.title(dataset)}, at the same λ and C: {numbers.error(without.rmse.mean)} without "
                f"W ≥ 0{share}, {numbers.error(within.rmse.mean)} with it"
            )
    if not told:
        return Claim(said, "", "", "not judged")
    verdict = (
        "does not hold: the same λ and C without nonnegativity give the same RMSE. Inference: what differs is the "
        "setting at which Dual was run"
        if max(changes) < NOTICEABLE
        else "holds in part"
    )
    return Claim(said, "its table has Dual at one setting only", f"{'; '.join(told)}.", verdict)


def _darker(evidence: Evidence, setup: Setup) -> Claim:
    said = "The pictures of Dual are darker on Baboon and Splash, perhaps because of negative entries."
    told, shares = [], []
    for dataset in _PICTURES:
        if dataset in evidence.datasets_at(setup) and "dual-demo" in evidence.labels_at(setup):
            negative = evidence.cell(setup, dataset, "dual-demo").over_seeds(lambda run: run.negative_share)
            if negative is not None:
                shares.append(negative.mean)
                told.append(f"{evidence.title(dataset)} {numbers.share(negative.mean)}")
    if not told:
        return Claim(said, "", "", "not judged")
    few = max(shares) < _VISIBLE
    ours = f"Entries of `dual-demo` below 0: {', '.join(told)}."
    return Claim(said, "", ours, "not for that reason: hardly any entry is negative" if few else "may hold")


def _components(evidence: Evidence, setup: Setup) -> Claim:
    said = "In videos W(3) is close to the original frame, and W(1) and W(2) have less in them (Figure 2)."
    told, verdicts = [], []
    for dataset, run in component_runs(evidence, setup).items():
        if dataset in _CLIPS and len(run.components) == 3:
            shares, alike = zip(*run.components, strict=True)
            held = _holds(max(alike) == alike[2])
            verdicts.append(f"{held} on {evidence.title(dataset)}")
            told.append(
                f"{evidence.title(dataset)}: likeness to the original, stripes aside, "
                f"{', '.join(f'{one:.2f}' for one in alike)}; shares of W {', '.join(f'{one:.2f}' for one in shares)}"
            )
    if not told:
        return Claim(said, "", "no run tells about components", "not judged")
    return Claim(said, "", f"{'; '.join(told)}.", "; ".join(verdicts))


def _ours(cells: tuple[PaperCell, ...], dataset: str) -> dict[str, float]:
    """Our RMSE for the paper's methods on a dataset, at the settings that count."""
    return {
        cell.row.name: cell.judge.cell.rmse.mean
        for cell in cells
        if cell.dataset == dataset and cell.judge and cell.judge.cell.rmse
    }


def _cell(cells: tuple[PaperCell, ...], dataset: str) -> str:
    judge = next((cell.judge for cell in cells if cell.dataset == dataset and cell.judge), None)
    return judge.cell.data.title if judge else dataset


def _below(ratios: dict[str, float], least: float) -> str:
    """The ratios that fall short, or that none does."""
    short = {name: ratio for name, ratio in sorted(ratios.items(), key=lambda pair: pair[1]) if ratio < least}
    return ", ".join(f"{name} {ratio:.2f} times" for name, ratio in short.items()) or f"all at least {least:g} times"


def _each(evidence: Evidence, told: dict[str, str]) -> str:
    return ", ".join(f"{evidence.title(dataset)} {text}" for dataset, text in told.items())


def _titles(evidence: Evidence, datasets: list[str]) -> str:
    names = [evidence.title(dataset) for dataset in datasets]
    return names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}"


def _holds(yes: bool) -> str:
    return "holds" if yes else "does not hold"
