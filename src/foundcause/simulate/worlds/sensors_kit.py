"""The parts that rigs are made of: settings, readings with noise and converters, and response curves. N rows."""

from __future__ import annotations

import numpy as np

from foundcause.simulate.worlds.builder import Builder

_STYLES = {"uniform": 0.3, "stepped": 0.15, "gaussian": 0.1, "binary": 0.03, "held": 0.07, "mixed": 0.35}
_SINGLE = ("uniform", "stepped", "gaussian", "binary", "held", "skewed")


class Kit:
    """One bench: how its experimenter sets things, how noisy and how coarse its sensors are."""

    def __init__(self, rng: np.random.Generator, rows: int) -> None:
        self.rng = rng
        self.rows = rows
        self.builder = Builder(rows)
        self.style = str(rng.choice(list(_STYLES), p=list(_STYLES.values())))
        self.noise = float(np.exp(rng.uniform(np.log(0.003), np.log(0.2))))
        self.bits = int(rng.choice([0, 6, 8, 10, 12], p=[0.35, 0.1, 0.2, 0.2, 0.15]))
        self._choices: list[tuple[np.ndarray, int]] = []
        self.drift = self._drift() if rng.random() < 0.12 else None

    def setting(self) -> tuple[np.ndarray, int]:
        """A free setting in about [0, 1], (N,), and its node."""
        rng = self.rng
        style = self.style if self.style != "mixed" else str(rng.choice(_SINGLE, p=[0.35, 0.25, 0.15, 0.08, 0.07, 0.1]))
        shape = self.rows
        if style == "uniform":
            column = rng.random(shape)
        elif style == "stepped":
            levels = int(rng.integers(3, 12))
            column = rng.integers(0, levels, shape) / (levels - 1)
        elif style == "gaussian":
            column = 0.5 + 0.15 * rng.normal(size=shape)
        elif style == "binary":
            column = (rng.random(shape) < rng.uniform(0.25, 0.75)).astype(np.float64)
        elif style == "held":
            blocks = int(rng.integers(8, max(9, shape // 5)))
            column = rng.random(blocks)[np.minimum(np.arange(shape) * blocks // shape, blocks - 1)]
        else:
            column = rng.beta(rng.uniform(0.5, 4.0), rng.uniform(0.5, 4.0), size=shape)
        if style in ("uniform", "gaussian", "skewed") and rng.random() < 0.3:
            # Settings are often whole numbers of some register.
            steps = float(rng.choice([20, 100, 255, 1023]))
            column = np.round(column * steps) / steps
        scale, shift = np.exp(rng.normal(1.0, 2.0)), rng.choice([0.0, rng.normal()])
        coarse = style in ("stepped", "binary")
        return column, self.builder.add((column + shift) * scale, [], discrete=coarse)

    def choice(self) -> tuple[np.ndarray, int]:
        """A setting with a few positions, such as a gain or a sampling rate: multipliers (N,) and its node.

        Half of the time it is one that other sensors already hang on.
        """
        if self._choices and self.rng.random() < 0.5:
            return self._choices[int(self.rng.integers(len(self._choices)))]
        positions = int(self.rng.integers(2, 5))
        ladder = np.sort(np.exp(self.rng.uniform(0.0, 1.5, positions)))
        pick = self.rng.integers(0, positions, self.rows)
        node = self.builder.add(pick.astype(np.float64), [], discrete=True)
        self._choices.append((ladder[pick] / ladder.max(), node))
        return self._choices[-1]

    def reading(
        self,
        signal: np.ndarray,
        parents: list[int],
        *,
        gain: tuple[np.ndarray, int] | None = None,
    ) -> int:
        """A sensor of ``signal``: noise, perhaps a gain setting, a curve, a ceiling and a converter; its node."""
        rng = self.rng
        parents = list(parents)
        spread = signal.std() + 1e-12
        value = signal + self.noise * np.exp(rng.normal(0.0, 0.7)) * spread * rng.normal(size=self.rows)
        if self.drift is not None and rng.random() < 0.5:
            value = value + rng.uniform(0.05, 0.4) * spread * self.drift[0]
            parents.append(self.drift[1])
        if gain is not None:
            value = value * gain[0]
            parents.append(gain[1])
        if rng.random() < 0.2:
            span = np.ptp(value) + 1e-12
            value = ((value - value.min()) / span) ** rng.uniform(0.5, 2.0) * span
        if rng.random() < 0.1:
            value = np.minimum(value, np.quantile(value, rng.uniform(0.85, 0.99)))
        coarse = False
        if self.bits and rng.random() < 0.8:
            low, span = value.min(), np.ptp(value) + 1e-12
            used = 2.0**self.bits * rng.uniform(0.1, 1.0)
            value = np.round((value - low) / span * used)
            coarse = used < 30
        else:
            value = value * np.exp(rng.normal(0.0, 2.0)) + rng.normal()
        return self.builder.add(value, parents, discrete=coarse)

    def _drift(self) -> tuple[np.ndarray, int]:
        """Supply voltage or temperature of the room, unseen by the record."""
        walk = np.cumsum(self.rng.normal(size=self.rows))
        walk = (walk - walk.mean()) / (walk.std() + 1e-12)
        return walk, self.builder.add(walk, [], hidden=True)


def respond(rng: np.random.Generator, x: np.ndarray) -> np.ndarray:
    """A one-input response curve of a part driven from 0 to 1, (N,), increasing more often than not."""
    x = np.clip(x, -0.5, 1.5)
    kind = int(rng.integers(7))
    if kind == 0:
        y = x
    elif kind == 1:
        y = x * np.abs(x)
    elif kind == 2:
        y = np.sqrt(np.abs(x)) * np.sign(x)
    elif kind == 3:
        k = rng.uniform(0.1, 1.0)
        y = np.maximum(x, 0.0) / (np.maximum(x, 0.0) + k)
    elif kind == 4:
        y = np.exp(rng.uniform(1.0, 3.0) * x) / 10.0
    elif kind == 5:
        y = 1.0 / (1.0 + np.exp(-rng.uniform(4.0, 15.0) * (x - rng.uniform(0.3, 0.7))))
    else:
        # A dead zone before anything moves.
        y = np.maximum(x - rng.uniform(0.05, 0.4), 0.0)
    return 1.0 - y if rng.random() < 0.12 else y
