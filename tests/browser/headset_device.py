"""Owns the emulated headset of the browser tests, and what it truly did in each of its frames.

The emulator (iwer) takes the place of `navigator.xr` before the page's own scripts run. A recorder
reads the same frames as the page does, by itself, so that nothing of the page's reading is trusted.
"""

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray
from playwright.sync_api import Page
from scipy.spatial.transform import Rotation

Floats = NDArray[np.float64]
_CLIENT = Path(__file__).parents[2] / "client_web"
_EMULATOR = _CLIENT / "node_modules" / "iwer" / "build" / "iwer.min.js"
_INSTALL = Path(__file__).with_name("headset_emulator.js")
_PALM_SHARE = 0.84
"""Of the way from the wrist to the middle knuckle (client_web/src/sensing/headset_palm.ts)."""
# A palm's axes in a grip's frame, by column: conventions.md.
_GRIP_FROM_PALM = {
    "left": Rotation.from_matrix(np.array([[0, -1, 0], [0, 0, 1], [-1, 0, 0]])),
    "right": Rotation.from_matrix(np.array([[0, 1, 0], [0, 0, 1], [1, 0, 0]])),
}


def emulator(*, stereo: bool = False) -> str:
    """The script to run in a page before its own: a headset that can be moved from tests."""
    eyes = f"window.STEREO = {'true' if stereo else 'false'};"
    return "\n".join([_EMULATOR.read_text(), eyes, _INSTALL.read_text()])


@dataclass(frozen=True)
class Truth:
    """One frame of the headset, in its own floor's coordinates: poses (7,) of eyes and palms."""

    at_ms: float  # by the machine's clock
    head: Floats
    palms: dict[str, Floats]  # of the hands that were there, by side


class EmulatedHeadset:
    """Moves the headset that a page wears, and says what it did."""

    def __init__(self, page: Page) -> None:
        self._page = page

    def do(self, script: str) -> Any:
        """Run a script with `device` at hand."""
        return self._page.evaluate(f"(() => {{ const {{ device }} = emulated; {script} }})()")

    def look(self, position: tuple[float, ...], yaw: float = 0.0, pitch: float = 0.0) -> None:
        """Put the head somewhere; radians, to the left and up."""
        turn = Rotation.from_euler("YX", [yaw, pitch])
        self.do(f"{_put('device', position, turn)}")

    def hold(self, side: str, position: tuple[float, ...], turn: Rotation) -> None:
        """Put a hand's pointer somewhere, controller or bare, whichever is in use."""
        kind = "device.primaryInputMode === 'hand' ? 'hands' : 'controllers'"
        self.do(f"const hand = device[{kind}].{side}; {_put('hand', position, turn)}")

    def truth(self) -> list[Truth]:
        """The last seconds, oldest first."""
        rows = json.loads(self._page.evaluate("JSON.stringify(emulated.truth)"))
        return [_truth(row) for row in rows]

    def forget(self) -> None:
        """Begin a new record."""
        self._page.evaluate("void (emulated.truth.length = 0)")

    def swing(self, side: str, seconds: float) -> None:
        """Swing a bare hand for so long; returns at once."""
        self._page.evaluate(f"emulated.swing('{side}', {seconds})")


def _put(what: str, position: tuple[float, ...], turn: Rotation) -> str:
    x, y, z = position
    qx, qy, qz, qw = turn.as_quat()
    return f"{what}.position.set({x}, {y}, {z}); {what}.quaternion.set({qx}, {qy}, {qz}, {qw});"


def _truth(row: dict[str, Any]) -> Truth:
    palms = {side: _palm(side, row[side]) for side in ("left", "right") if side in row}
    return Truth(row["atMs"], np.array(row["head"]), palms)


def _palm(side: str, hand: dict[str, Any]) -> Floats:
    if "grip" in hand:
        grip = np.array(hand["grip"])
        turn = Rotation.from_quat(grip[3:]) * _GRIP_FROM_PALM[side]
        return np.array([*grip[:3], *turn.as_quat()])
    wrist, middle, index, little = np.array(hand["joints"])
    back = (wrist - middle) / np.linalg.norm(wrist - middle)  # the palm's +Z
    across = (index - little) * (1 if side == "left" else -1)
    up = np.cross(back, across)
    up /= np.linalg.norm(up)
    turn = Rotation.from_matrix(np.column_stack([np.cross(up, back), up, back]))
    return np.array([*(wrist + _PALM_SHARE * (middle - wrist)), *turn.as_quat()])
