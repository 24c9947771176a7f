"""Apparatus: exogenous controls, nearly deterministic physics, sensors that quantize. N rows, V nodes.

A scene is one or more rigs on a bench, trimmed to the number of columns asked for. A physical quantity that follows
exactly from settings is no node. Its sensors are caused by the settings themselves. ``room`` is how many columns are
still wanted.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foundcause.simulate.extension import field_component
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

# Rigs in which many settings meet at many sensors are the ones that people record.
WEIGHTS = {"optics": 2.0, "air": 1.2, "heat": 1.0, "circuit": 0.5, "motion": 1.2, "unnamed": 2.0}


@field_component("sensors")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """Recorded settings and readings of random apparatus: ``variables`` observed columns."""
    kit = Kit(rng, rows)
    names = list(RIGS)
    favorites = rng.dirichlet(0.5 * np.array([WEIGHTS[name] for name in names]))
    used: list[str] = []
    while len(kit.builder) < variables or not used:
        name = str(rng.choice(names, p=favorites))
        used.append(name)
        RIGS[name](rng, kit, variables - len(kit.builder))
    values, graph, hidden, discrete = kit.builder.assemble()
    kept = _trim(rng, graph, hidden, variables)
    values, graph, hidden, discrete = values[:, kept], graph[np.ix_(kept, kept)], hidden[kept], discrete[kept]
    return Scene(
        values=values,
        graph=graph,
        hidden=hidden,
        confounded=np.zeros_like(graph),
        discrete=discrete,
        record={"rigs": used, "settings": kit.style, "noise": round(kit.noise, 5), "bits": kit.bits},
    )


def _trim(rng: np.random.Generator, graph: np.ndarray, hidden: np.ndarray, variables: int) -> np.ndarray:
    """Which nodes stay, (kept,) sorted, when only ``variables`` observed ones may.

    A node may leave without a trace in the labels when it has no effect (a reading), or no cause and a single effect (a
    setting that was not written down, which becomes noise of its reading).
    """
    alive = np.ones(len(graph), dtype=bool)
    while (alive & ~hidden).sum() > variables:
        effects = (graph & alive[None, :]).sum(axis=1)
        causes = (graph & alive[:, None]).sum(axis=0)
        leaf = effects == 0
        unwritten = (causes == 0) & (effects == 1)
        # A setting whose last reading has left goes first. Readings of many settings are kept longest.
        weight = np.where(leaf, np.where(causes == 0, 30.0, 1.0 / (1.0 + causes)), np.where(unwritten, 2.0, 0.0))
        weight *= alive & ~hidden
        alive[rng.choice(len(graph), p=weight / weight.sum())] = False
    effects = (graph & alive[None, :]).sum(axis=1)
    return np.flatnonzero(alive & ~(hidden & (effects == 0)))


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
        """A sensor of ``signal``: noise, perhaps a gain setting, a curve, a ceiling and a converter."""
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


Rig = Callable[[np.random.Generator, Kit, int], None]


def optics(rng: np.random.Generator, kit: Kit, room: int) -> None:
    """Lamps summed at detectors, some behind polarizers or shutters, with angle readings and supply current."""
    lamps = [kit.setting() for _ in range(_few(rng, 1 + (room > 5), 5, room, 0.2))]
    plates = [kit.setting() for _ in range(int(rng.integers(0, 3)) if room > 4 else 0)]
    turn = rng.uniform(0.5, 2.0) * np.pi
    angles = [turn * plate[0] for plate in plates]
    if rng.random() < 0.6:
        through = np.cos(angles[0] - (angles[1] if len(angles) == 2 else rng.uniform(0, np.pi))) ** 2 if angles else 1.0
    else:
        through = np.prod([np.cos(angle) ** 2 for angle in angles], axis=0) if angles else 1.0
    curve = [respond(rng, lamp[0]) for lamp in lamps]
    for detector in range(_few(rng, 2 + (room > 8), 10, room, 0.45)):
        weight = np.exp(rng.normal(0.0, 0.7, len(lamps)))
        light = np.sum([w * c for w, c in zip(weight, curve, strict=True)], axis=0)
        parents = [lamp[1] for lamp in lamps]
        if plates and detector % 3:
            light = light * through
            parents += [plate[1] for plate in plates]
        if rng.random() < 0.35:
            local = kit.setting()
            light = light + np.exp(rng.uniform(-4.0, 0.5)) * light.std() * 3.0 * local[0]
            parents.append(local[1])
        kit.reading(light, parents, gain=kit.choice() if rng.random() < 0.3 else None)
    if rng.random() < 0.6:
        kit.reading(np.sum([rng.uniform(0.3, 1.0) * c for c in curve], axis=0), [lamp[1] for lamp in lamps])
    for angle, plate in zip(angles, plates, strict=True):
        for _ in range(int(rng.integers(1, 3))):
            kit.reading(angle, [plate[1]], gain=kit.choice() if rng.random() < 0.3 else None)


def air(rng: np.random.Generator, kit: Kit, room: int) -> None:
    """Fans drive speeds, speeds drive currents, pressures and sound. A hatch lets pressure out. Weather is added."""
    hatch = kit.setting() if rng.random() < 0.7 else None
    weather = kit.setting() if rng.random() < 0.5 else None
    speeds: list[tuple[np.ndarray, int]] = []
    for _ in range(_few(rng, 1 + (room > 8), 3, room, 0.15)):
        load = kit.setting()
        speed = respond(rng, load[0]) + 0.1
        # The speed itself jitters, so what follows hangs on the speed and not on the setting.
        speed = speed * (1.0 + 2.0 * kit.noise * rng.normal(size=kit.rows))
        node = kit.builder.add(speed * np.exp(rng.normal(6.0, 1.0)), [load[1]])
        speeds.append((speed, node))
        if rng.random() < 0.7:
            current = np.abs(speed) ** rng.uniform(1.0, 3.0)
            kit.reading(current, [node], gain=kit.choice() if rng.random() < 0.3 else None)
    push = np.sum([rng.choice([1.0, 1.0, -1.0]) * rng.uniform(0.4, 1.0) * s[0] * np.abs(s[0]) for s in speeds], axis=0)
    for _ in range(_few(rng, 2 + (room > 8), 8, room, 0.4)):
        signal, parents = push * rng.uniform(0.5, 1.5), [s[1] for s in speeds]
        if hatch is not None and rng.random() < 0.8:
            signal = signal * (1.0 - rng.uniform(0.3, 0.9) * np.clip(hatch[0], 0, 1) ** rng.uniform(0.5, 2.0))
            parents.append(hatch[1])
        if weather is not None and rng.random() < 0.7:
            signal = signal + rng.uniform(0.2, 2.0) * signal.std() * (weather[0] - 0.5)
            parents.append(weather[1])
        kit.reading(signal, parents, gain=kit.choice() if rng.random() < 0.2 else None)
    if rng.random() < 0.5:
        kit.reading(
            np.log(0.05 + np.sum([np.abs(s[0]) for s in speeds], axis=0)), [s[1] for s in speeds], gain=kit.choice()
        )


def heat(rng: np.random.Generator, kit: Kit, room: int) -> None:
    """Heaters warm, fans and distance cool. Several thermometers and a resistance follow the temperature."""
    heaters = [kit.setting() for _ in range(_few(rng, 1 + (room > 8), 4, room, 0.2))]
    ambient = kit.setting() if rng.random() < 0.6 else None
    cooler = kit.setting() if rng.random() < 0.6 else None
    power = np.sum([rng.uniform(0.5, 1.5) * np.clip(h[0], 0, None) ** rng.choice([1.0, 2.0]) for h in heaters], axis=0)
    parents = [h[1] for h in heaters]
    temperature = power
    if cooler is not None:
        temperature = power / (0.2 + rng.uniform(0.3, 1.5) * np.clip(cooler[0], 0, None))
        parents.append(cooler[1])
    if ambient is not None:
        temperature = temperature + rng.uniform(0.3, 1.5) * temperature.std() * 3.0 * (ambient[0] - 0.5)
        parents.append(ambient[1])
    if rng.random() < 0.5:
        core = kit.reading(temperature, parents)
        parents, temperature = [core], kit.builder.column(core)
        temperature = (temperature - temperature.mean()) / (temperature.std() + 1e-12)
    for _ in range(_few(rng, 2 + (room > 8), 7, room, 0.4)):
        law = rng.random()
        scaled = (temperature - temperature.min()) / (np.ptp(temperature) + 1e-12)
        signal = (
            scaled
            if law < 0.5
            else np.exp(-rng.uniform(1.0, 4.0) * scaled)
            if law < 0.75
            else scaled ** rng.uniform(1.5, 4.0)
        )
        kit.reading(signal, parents, gain=kit.choice() if rng.random() < 0.2 else None)


def circuit(rng: np.random.Generator, kit: Kit, room: int) -> None:
    """Voltages over loads make currents. Power is their product. Shunts and meters read them."""
    for _ in range(_few(rng, 1, 3, room, 0.15)):
        volts, load = kit.setting(), kit.setting()
        jitter = 1.0 + 2.0 * kit.noise * rng.normal(size=kit.rows)
        amps = (np.clip(volts[0], 0, None) + 0.05) / (0.15 + np.clip(load[0], 0, None)) * jitter
        node = kit.builder.add(amps * np.exp(rng.normal()), [volts[1], load[1]])
        kit.reading(amps * (volts[0] + 0.05), [node, volts[1]])
        if rng.random() < 0.6:
            kit.reading(amps**2, [node], gain=kit.choice() if rng.random() < 0.4 else None)
        if rng.random() < 0.6:
            kit.reading(
                volts[0] + rng.uniform(-0.3, 0.3) * amps / (amps.std() + 1e-12) * volts[0].std(), [volts[1], node]
            )
        if rng.random() < 0.4:
            kit.reading(np.tanh(amps / np.median(amps)), [node])


def motion(rng: np.random.Generator, kit: Kit, room: int) -> None:
    """Positions, and trigonometric, inverse-square and distance readings of where things are."""
    places = [kit.setting() for _ in range(_few(rng, 1 + 2 * (room > 8), 6, room, 0.25))]
    shift = [rng.uniform(0.5, 2.0) * np.pi * p[0] for p in places]
    for _ in range(_few(rng, 2 + (room > 8), 10, room, 0.5)):
        count = min(len(places), int(rng.integers(1, 5)))
        pick = rng.choice(len(places), size=count, replace=False)
        law = int(rng.integers(5))
        if law == 0:
            signal = np.sum([np.sin(shift[k] + rng.uniform(0, np.pi)) for k in pick], axis=0)
        elif law == 1:
            signal = 1.0 / (rng.uniform(0.2, 0.6) + np.sum([places[k][0] ** 2 for k in pick], axis=0))
        elif law == 2:
            signal = np.prod([np.cos(0.5 * shift[k]) for k in pick], axis=0)
        elif law == 3:
            signal = np.sqrt(np.sum([(places[k][0] - rng.uniform(0, 0.3)) ** 2 for k in pick], axis=0))
        else:
            signal = np.sum([rng.uniform(-1, 1) * places[k][0] for k in pick], axis=0)
        kit.reading(signal, [places[k][1] for k in pick], gain=kit.choice() if rng.random() < 0.2 else None)


def unnamed(rng: np.random.Generator, kit: Kit, room: int) -> None:
    """Any settings, any laws: sums, products, ratios and thresholds, with readings that feed later stages."""
    sources: list[tuple[np.ndarray, int]] = [kit.setting() for _ in range(_few(rng, 2 + (room > 8), 10, room, 0.35))]
    for _ in range(_few(rng, 2 + (room > 8), 14, room, 0.6)):
        count = min(len(sources), int(rng.choice([1, 2, 3, 4, 5], p=[0.15, 0.3, 0.3, 0.15, 0.1])))
        pick = [sources[k] for k in rng.choice(len(sources), size=count, replace=False)]
        parts = np.stack([respond(rng, p[0]) for p in pick])
        # Some inputs barely show.
        weight = np.exp(rng.normal(0.0, 0.8, count)) * rng.choice([1.0, 1.0, 1.0, 0.1], count)
        law = int(rng.integers(4))
        if law == 0:
            signal = weight @ parts
        elif law == 1:
            signal = np.prod(0.15 + parts, axis=0)
        elif law == 2:
            signal = parts[0] / (0.3 + weight[1:] @ np.abs(parts[1:])) if count > 1 else 1.0 / (0.3 + np.abs(parts[0]))
        else:
            signal = np.max(parts * weight[:, None], axis=0) + 0.1 * (weight @ parts)
        node = kit.reading(signal, [p[1] for p in pick])
        if rng.random() < 0.3:
            column = kit.builder.column(node)
            sources.append(((column - column.min()) / (np.ptp(column) + 1e-12), node))


RIGS: dict[str, Rig] = {
    "optics": optics,
    "air": air,
    "heat": heat,
    "circuit": circuit,
    "motion": motion,
    "unnamed": unnamed,
}


def _few(rng: np.random.Generator, low: int, high: int, room: int, share: float) -> int:
    """A count between low and high that does not outgrow its share of the room by much."""
    return int(rng.integers(low, max(low, min(high, int(np.ceil(share * room)))) + 1))
