"""A run has only so much memory and time; what takes more ends in a sentence, and the next one goes on."""

from __future__ import annotations

import asyncio
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from served import httpx, run  # which skips where the page cannot be served

from tensorfill.page import create_app
from tensorfill.page.allowances import Allowance, RunLimits
from tensorfill.page.processes import Processes, WorkFailed

EARLY = "Stopped before there was anything to keep."
ENDLESS = {"method": "nonneg-dual", "settings": {"max_iter": 10**6, "gradient_tolerance": 1e-15}}


async def fill_in(
    limits: RunLimits, path: Path, *wishes: dict[str, Any], cancel: dict[str, Any] | None = None
) -> list[dict[str, Any]]:
    """What became of runs on a file; the first one may be cancelled."""
    app = create_app(file=path, run_limits=limits)
    async with app.router.lifespan_context(app):
        headers = {"X-Tensorfill-Key": app.state.key}
        transport = httpx.ASGITransport(app)
        async with httpx.AsyncClient(transport=transport, base_url="http://127.0.0.1", headers=headers) as client:

            async def wait(kind: str, *over: str) -> list[dict[str, Any]]:
                for _ in range(2400):
                    found: list[dict[str, Any]] = (await client.get("/api/state")).json()[kind]
                    if all(one["state"] in over for one in found):
                        return found
                    await asyncio.sleep(0.05)
                raise AssertionError(found)

            (item,) = await wait("items", "ready")
            for wish in wishes:
                answer = await client.post("/api/runs", json={"item": item["id"], **wish})
                assert answer.status_code == 202, answer.text
            if cancel is not None:
                (one,) = await wait("runs", "running")
                assert (await client.post(f"/api/runs/{one['id']}/cancel", json=cancel)).status_code == 200
            return await wait("runs", "done", "failed", "stopped")


@pytest.fixture
def holed(tmp_path: Path) -> Path:
    data = np.random.default_rng(0).random((60, 50, 12))
    data[data < 0.5] = np.nan
    np.save(tmp_path / "holed.npy", data)
    return tmp_path / "holed.npy"


def test_a_run_whose_time_is_over_keeps_the_best_so_far(holed: Path) -> None:
    (found,) = run(fill_in(RunLimits(seconds=2.0), holed, ENDLESS))
    assert (found["state"], found["error"]) in (("done", ""), ("stopped", EARLY)), "the latter on a busy machine"


def test_a_run_that_does_not_end_even_then_is_ended_and_the_next_one_goes_on(holed: Path) -> None:
    limits = RunLimits(seconds=0.0, to_tell=0.0)
    found = run(fill_in(limits, holed, ENDLESS, ENDLESS))
    assert [one["state"] for one in found] == ["failed", "failed"]
    assert found[0]["error"] == "This took longer than 0 s, and was ended; choose a quicker method."


def test_a_run_that_is_to_end_at_once_does(holed: Path) -> None:
    (found,) = run(fill_in(RunLimits(), holed, ENDLESS, cancel={"now": True}))
    assert (found["state"], found["error"]) == ("stopped", "Ended at once, with nothing kept.")


def test_a_run_that_is_stopped_while_its_process_is_made_does_stop(holed: Path) -> None:
    (found,) = run(fill_in(RunLimits(), holed, ENDLESS, cancel={}))
    assert (found["state"], found["error"]) in (("stopped", EARLY), ("done", "")), found
    if found["state"] == "done":
        assert found["summary"]["stopped"], "by hand, and not because it was ready"


def test_a_run_sees_the_memory_that_it_may_take_and_no_more(tmp_path: Path) -> None:
    data = np.zeros((400, 300, 30), np.float32)
    data[::2] = np.nan
    np.save(tmp_path / "large.npy", data)
    (found,) = run(fill_in(RunLimits(bytes=0), tmp_path / "large.npy", {"method": "tnn"}))
    assert found["state"] == "failed"
    assert "memory" in found["error"]
    assert found["error"].endswith(".")


def test_what_needs_more_than_was_foreseen_ends_in_the_sentence_of_its_allowance(tmp_path: Path) -> None:
    (tmp_path / "asked.bin").write_bytes(bytes(2**23))
    allowance = Allowance(bytes=2**24, too_large="Too large for this.")
    given = {"folder": str(tmp_path), "shape": [2**13, 2**13], "channels": 0, "pixels": 1}
    with pytest.raises(WorkFailed, match=r"^Too large for this\.$"):
        run(Processes().perform("grow", given, allowance))


def test_work_that_cannot_be_begun_ends_in_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    """Such as on a machine that has no room for one more process; the queue must not end with it."""

    def refuse(*_: object) -> None:
        raise OSError("Resource temporarily unavailable")

    monkeypatch.setattr("tensorfill.page.processes.Working.__init__", refuse)
    with pytest.raises(WorkFailed, match=r"^The work could not be begun; the terminal of the server says why\.$"):
        run(Processes().perform("grow", {}))


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="other systems do not limit addresses")
def test_the_system_itself_refuses_more_memory() -> None:
    code = (
        "import numpy\nfrom tensorfill.page.worker import _limit\n_limit(2**26, 60.0)\n"
        "try:\n    numpy.ones(2**27, numpy.uint8)\nexcept MemoryError:\n    print('refused')"
    )
    told = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert told.stdout == "refused\n"
