"""Rigs: optics, air, heat, circuits, motion, and unnamed ones. N rows; ``room`` is how many columns are still wanted.

A physical quantity that follows exactly from settings is no node; its sensors are caused by the settings themselves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from foundcause.simulate.worlds.sensors_kit import Kit, respond

Rig = Callable[[np.random.Generator, Kit, int], None]


def optics(rng: np.random.Generator, kit: Kit, room: int) -> None:
    """Lamps summed at detectors, some behind polarisers or shutters; local lights; angle readings; supply current."""
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
    """Fans drive speeds, speeds drive currents, pressures and sound; a hatch lets pressure out; weather is added."""
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
    """Heaters warm, fans and distance cool; several thermometers and a resistance follow the temperature."""
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
    """Voltages over loads make currents; power is their product; shunts and meters read them."""
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
