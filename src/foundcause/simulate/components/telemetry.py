"""Services under load: latencies that add up along calls, requests that flow down them, hosts that are shared.

N rows are moments in time order, S services, M metrics, V nodes (hidden ones too).
"""

from __future__ import annotations

import numpy as np

from foundcause.simulate.extension import field_component
from foundcause.simulate.graphs import wire
from foundcause.simulate.random_functions import smooth_noise
from foundcause.simulate.scene_building import Builder
from foundcause.simulate.task import Scene

_SLOWEST = 0.05  # share of the rows in which each of several parallel callees must be the slowest


@field_component("telemetry")
def draw(rng: np.random.Generator, *, rows: int, variables: int) -> Scene:
    """Metrics of a random service landscape: ``variables`` observed columns over ``rows`` moments."""
    flavor = str(rng.choice(["latency", "mixed", "hosts", "requests"], p=[0.4, 0.27, 0.23, 0.1]))
    builder = Builder(rows)
    if flavor == "hosts":
        kinds = draw_hosts(rng, builder, variables)
    elif flavor == "mixed" and variables >= 3:
        kinds = _mixed(rng, builder, variables)
    elif flavor == "requests":
        kinds = _requests(rng, builder, variables)
    else:
        flavor = "latency"
        kinds = _latency(rng, builder, variables)
    values, graph, hidden, discrete = builder.assemble()
    shown = np.flatnonzero(~hidden)
    gaps = rng.random() < 0.35
    if gaps:
        values[:, shown] = idle_gaps(rng, values[:, shown])
    return Scene(
        values=values,
        graph=graph,
        hidden=hidden,
        confounded=np.zeros_like(graph),
        discrete=discrete,
        record={"flavor": flavor, "gaps": bool(gaps), **kinds},
    )


def calls(rng: np.random.Generator, services: int) -> np.ndarray:
    """Who calls whom, (S, S) bool from callee to caller. Callees come first. Trees, or meshes."""
    form = str(rng.choice(["gates", "layered", "hubs", "tree"], p=[0.55, 0.2, 0.1, 0.15]))
    edges = rng.uniform(0.85, 1.7) if services > 3 else rng.uniform(0.5, 1.0)
    return wire(rng, nodes=services, form=form, edges_per_node=edges, most_parents=8, isolated=0.15)


def sharers(rng: np.random.Generator, services: int) -> list[np.ndarray]:
    """Groups of services that share a host or a global load, each (S,) bool with at least two members."""
    groups = []
    style = rng.random()
    if style < 0.15:
        groups.append(np.ones(services, dtype=bool))
    elif style < 0.55 and services >= 3:
        hosts = rng.integers(0, max(1, services // int(rng.integers(2, 6))), size=services)
        for host in range(int(hosts.max()) + 1):
            if rng.random() < 0.6:
                groups.append(hosts == host)
    return [group for group in groups if group.sum() >= 2]


def _latency(rng: np.random.Generator, builder: Builder, variables: int) -> dict[str, object]:
    """Response times: a caller's is its own time plus its callees'."""
    unseen = int(rng.integers(1, max(2, variables // 6 + 1))) if variables >= 5 and rng.random() < 0.3 else 0
    services = variables + unseen
    graph = calls(rng, services)
    pressure = np.ones((builder.rows, services))
    links: list[list[int]] = [[] for _ in range(services)]
    for group in sharers(rng, services):
        shared = traffic(rng, builder.rows, services=1)[:, 0]
        node = builder.add(shared, [], hidden=True)
        strength = np.where(group, rng.uniform(0.2, 2.0, services), 0.0)
        pressure *= 1.0 + strength * (shared[:, None] - shared.min())
        for member in np.flatnonzero(group):
            links[member].append(node)
    # A fixed number of requests in each row: a varying one would be one more shared cause.
    requests = np.full(builder.rows, max(1.0, round(float(np.exp(rng.uniform(0.0, 6.0))))))
    own = own_times(rng, requests, services) * pressure
    own, hit = incidents(rng, own)
    statistic = str(rng.choice(["mean", "tail"]))
    hidden = np.zeros(services, dtype=bool)
    hidden[rng.choice(services, unseen, replace=False)] = True
    total = combine(rng, own, graph, requests)
    if statistic == "tail":
        total = total * np.exp(rng.normal(0.0, rng.uniform(0.02, 0.3), total.shape))
    total, digits = reported(rng, total)
    ids: list[int] = []
    for service in range(services):
        parents = [ids[int(callee)] for callee in np.flatnonzero(graph[:, service])] + links[service]
        ids.append(builder.add(total[:, service], parents, hidden=bool(hidden[service])))
    return {"statistic": statistic, "incidents": hit, "rounding": digits}


def combine(rng: np.random.Generator, own: np.ndarray, graph: np.ndarray, requests: np.ndarray) -> np.ndarray:
    """Total times (N, S) from own times: each caller adds what it waits for, in sequence or in parallel."""
    services = own.shape[1]
    total = own.copy()
    importance = rng.uniform(0.1, 1.5)
    for caller in range(services):
        callees = np.flatnonzero(graph[:, caller])
        if not len(callees):
            continue
        share = rng.choice([1.0, 0.6, 0.25, 0.08], size=len(callees), p=[0.55, 0.2, 0.15, 0.1])
        waits = total[:, callees]
        # Some callers do much work of their own while they wait.
        scale = importance * waits.std(axis=0).max() / (own[:, caller].std() + 1e-12)
        total[:, caller] *= min(max(scale * rng.uniform(0.3, 2.0), 0.02), 1e4) if rng.random() < 0.7 else 1.0
        called = np.where(share < 1.0, rng.binomial(requests[:, None].astype(np.int64), share) / requests[:, None], 1.0)
        if rng.random() < 0.15:
            called = called * (1.0 + rng.geometric(0.8, size=called.shape) * (rng.random(called.shape) < 0.05))
        waits = waits * called
        slowest = np.bincount(waits.argmax(axis=1), minlength=len(callees))
        # In parallel only the slowest counts: not an option where some callee never is.
        if rng.random() < 0.25 and len(callees) > 1 and slowest.min() >= _SLOWEST * len(waits):
            total[:, caller] += waits.max(axis=1)
        else:
            total[:, caller] += waits.sum(axis=1)
    return total


def reported(rng: np.random.Generator, values: np.ndarray) -> tuple[np.ndarray, str]:
    """Values as a dashboard stores them: full precision, a few significant digits, or whole small units."""
    rule = str(rng.choice(["none", "digits", "unit"], p=[0.6, 0.25, 0.15]))
    if rule == "digits":
        unit = 10.0 ** (np.floor(np.log10(np.abs(values) + 1e-12)) - int(rng.integers(1, 3)))
        values = np.round(values / unit) * unit
    elif rule == "unit":
        step = values.std(axis=0) / rng.uniform(5.0, 60.0) + 1e-12
        values = np.round(values / step) * step
    return values, rule


def _requests(rng: np.random.Generator, builder: Builder, variables: int) -> dict[str, object]:
    """Request counts: a callee gets a share of each caller's requests and some of its own."""
    graph = calls(rng, variables)[::-1, ::-1].T
    entry = traffic(rng, builder.rows, services=variables) * np.exp(rng.uniform(1.5, 7.0, variables))
    groups = sharers(rng, variables) if rng.random() < 0.5 else []
    links: list[list[int]] = [[] for _ in range(variables)]
    for group in groups:
        shared = traffic(rng, builder.rows, services=1)[:, 0]
        node = builder.add(shared, [], hidden=True)
        entry[:, group] *= shared[:, None] ** rng.uniform(0.5, 1.0)
        for member in np.flatnonzero(group):
            links[member].append(node)
    flows, entered = flow(rng, entry, graph)
    for service in range(variables):
        parents = np.flatnonzero(graph[:, service]) + len(groups)
        builder.add(
            flows[:, service],
            [int(p) for p in parents] + (links[service] if entered[service] else []),
            discrete=flows[:, service].max() < 40,
        )
    return {"shared": len(groups)}


def flow(rng: np.random.Generator, entry: np.ndarray, graph: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Request counts (N, S) that run from callers to callees (graph from caller to callee), with caches and retries.

    Also (S,) bool: whether a service is entered from outside too.
    """
    flows = np.zeros_like(entry)
    entered = np.ones(entry.shape[1], dtype=bool)
    for service in range(entry.shape[1]):
        callers = np.flatnonzero(graph[:, service])
        rate = entry[:, service]
        if len(callers):
            share = rng.choice([1.0, 0.5, 0.2, 0.05, 2.0], size=len(callers), p=[0.35, 0.25, 0.2, 0.1, 0.1])
            arriving = flows[:, callers] @ share
            if rng.random() < 0.3:
                # A cache answers part of the calls, more or less of them over time.
                arriving = arriving * np.clip(rng.beta(4.0, 2.0) + 0.1 * rng.normal(size=len(rate)), 0.02, 1.0)
            direct = rng.choice([0.0, 0.1, 0.3])
            entered[service] = direct > 0
            rate = arriving + direct * rate / (rate.mean() + 1e-9) * arriving.mean()
        spread = rng.uniform(0.0, 0.25)
        flows[:, service] = rng.poisson(np.clip(rate * np.exp(spread * rng.normal(size=len(rate))), 0.0, 1e8))
        if flows[:, service].std() == 0:
            flows[rng.integers(len(rate), size=3), service] += 1.0
    return flows, entered


def _mixed(rng: np.random.Generator, builder: Builder, variables: int) -> dict[str, object]:
    """Several metrics of each service: requests run down the calls. Errors and latency come back up."""
    menus = [
        ["requests", "latency"],
        ["requests", "cpu", "latency"],
        ["requests", "errors", "latency"],
        ["requests", "cpu", "errors", "latency"],
    ]
    metrics = menus[int(rng.choice(4, p=[0.3, 0.25, 0.25, 0.2]))]
    services = max(1, -(-variables // len(metrics)))
    surplus = services * len(metrics) - variables
    back = calls(rng, services) if services > 1 else np.zeros((1, 1), dtype=bool)
    ids: dict[tuple[str, int], int] = {}
    dropped = set(rng.choice(services * len(metrics), surplus, replace=False).tolist())

    def add_metric(metric: str, service: int, column: np.ndarray, parents: list[int]) -> None:
        unseen = metrics.index(metric) * services + service in dropped
        ids[metric, service] = builder.add(
            column, parents, hidden=unseen, discrete=metric in ("requests", "errors") and column.max() < 40
        )

    entry = traffic(rng, builder.rows, services=services) * np.exp(rng.uniform(2.0, 6.0, services))
    requests = flow(rng, entry[:, ::-1], back[::-1, ::-1].T)[0][:, ::-1]
    for service in range(services - 1, -1, -1):
        callers = np.flatnonzero(back[service])
        add_metric("requests", service, requests[:, service], [ids["requests", int(c)] for c in callers])
    demand = requests / (requests.mean(axis=0) + 1e-9)
    busy = demand
    if "cpu" in metrics:
        room = rng.uniform(0.6, 4.0, services)
        busy = demand / (demand + room) + np.abs(rng.normal(0.0, rng.uniform(0.01, 0.1), demand.shape))
        busy = np.minimum(busy, 1.0)
        for service in range(services):
            add_metric("cpu", service, 100.0 * busy[:, service] ** rng.uniform(0.7, 1.3), [ids["requests", service]])
    source = "cpu" if "cpu" in metrics else "requests"
    if "errors" in metrics:
        fails = np.zeros_like(requests)
        for service in range(services):
            callees = np.flatnonzero(back[:, service])
            rate = np.exp(rng.uniform(-6.0, -2.5)) * requests[:, service]
            rate = rate * np.where(rng.random(builder.rows) < 0.05, rng.uniform(2.0, 20.0), 1.0)
            rate = rate + fails[:, callees] @ rng.uniform(0.2, 1.0, len(callees)) + 0.05
            fails[:, service] = rng.poisson(np.minimum(rate, 1e7))
            if fails[:, service].std() == 0:
                fails[rng.integers(builder.rows, size=3), service] += 1.0
            parents = [ids["errors", int(c)] for c in callees] + [ids["requests", service]]
            add_metric("errors", service, fails[:, service], parents)
    typical = np.maximum(requests.mean(axis=0, keepdims=True).round(), 1.0) + np.zeros_like(requests)
    own, hit = incidents(rng, own_times(rng, typical, services))
    heat = rng.uniform(0.2, 1.5, services)
    own = own * (1.0 + heat * busy ** rng.choice([1.0, 2.0, 4.0], services))
    slow_errors = "errors" in metrics and rng.random() < 0.5
    if slow_errors:
        own = own * (1.0 + rng.uniform(0.5, 3.0, services) * fails / (requests + 1.0))
    total, digits = reported(rng, combine(rng, own, back, typical[:, 0]))
    for service in range(services):
        parents = [ids["latency", int(c)] for c in np.flatnonzero(back[:, service])] + [ids[source, service]]
        if slow_errors:
            parents += [ids["errors", service], ids["requests", service]]
        add_metric("latency", service, total[:, service], parents)
    return {"metrics": metrics, "incidents": hit, "rounding": digits}


def draw_hosts(rng: np.random.Generator, builder: Builder, variables: int) -> dict[str, object]:
    """Fill the builder with ``variables`` machine metrics driven by work that arrives. Returns the laws used."""
    unseen = int(rng.integers(1, max(2, variables // 6 + 1))) if variables >= 4 and rng.random() < 0.4 else 0
    nodes = variables + unseen
    rows = builder.rows
    form = str(rng.choice(["layered", "hubs", "chain", "tree", "modules"]))
    graph = wire(
        rng,
        nodes=nodes,
        form=form,
        edges_per_node=rng.uniform(0.8, 2.0) if nodes > 3 else rng.uniform(0.4, 1.0),
        most_parents=5,
    )
    hidden = np.zeros(nodes, dtype=bool)
    if unseen:
        # Unmeasured work sits at the top.
        hidden[rng.permutation(min(nodes - 1, 2 * unseen))[:unseen]] = True
    memory = np.where(rng.random(nodes) < rng.choice([0.0, 0.7]), rng.uniform(0.3, 0.97, nodes), 0.0)
    noise = smooth_noise(rng, rows, nodes, memory)
    clarity = rng.uniform(0.15, 0.9)
    sources = traffic(rng, rows, services=nodes)
    values = np.zeros((rows, nodes))
    laws: dict[str, int] = {}
    for node in range(nodes):
        parents = np.flatnonzero(graph[:, node])
        if len(parents):
            law = str(
                rng.choice(
                    ["linear", "queue", "saturating", "power", "bottleneck", "step"],
                    p=[0.35, 0.15, 0.15, 0.2, 0.1, 0.05],
                )
            )
            laws[law] = laws.get(law, 0) + 1
            driven = _respond(rng, values[:, parents], law)
            explained = np.clip(rng.beta(4 * clarity, 4 * (1 - clarity)), 0.03, 0.99)
            spread = driven.std() + 1e-9
            if rng.random() < 0.6:
                # Noise that grows with the work, as most of it does.
                width = np.sqrt(1 / explained - 1) * spread / (driven.mean() + 1e-9)
                column = driven * np.exp(np.minimum(width, 1.2) * noise[:, node])
            else:
                column = driven + np.sqrt(1 / explained - 1) * spread * noise[:, node]
                column = column - min(column.min(), 0.0)
        else:
            column = sources[:, node] if rng.random() < 0.6 else np.exp(rng.uniform(0.1, 1.0) * noise[:, node])
        values[:, node] = column / (column.mean() + 1e-9)
    for node in range(nodes):
        shown, discrete = _shown(rng, values[:, node])
        builder.add(
            shown, [int(p) for p in np.flatnonzero(graph[:, node])], hidden=bool(hidden[node]), discrete=discrete
        )
    return {"form": form, "laws": laws}


def _respond(rng: np.random.Generator, work: np.ndarray, law: str) -> np.ndarray:
    """The positive response of a metric to the (N, P) positive metrics that drive it, (N,)."""
    weight = np.exp(rng.normal(0.0, 0.5, work.shape[1]))
    weight /= weight.sum()
    if law == "bottleneck":
        # Each driver is brought to one level: one that is never the largest would have no effect.
        level = work / (np.median(work, axis=0) + 1e-9)
        return np.asarray((level * np.exp(rng.normal(0.0, 0.15, work.shape[1]))).max(axis=1))
    if law == "power":
        return np.exp(
            np.clip(
                np.log(work + 0.02) @ (rng.uniform(0.4, 1.6, work.shape[1]) * rng.choice([1, 1, 1, -1], work.shape[1])),
                -5,
                5,
            )
        )
    total = work @ weight
    if law == "queue":
        room = np.quantile(total, 0.995) * rng.uniform(1.05, 2.0)
        return 1.0 / np.maximum(1.0 - total / room, 0.02)
    if law == "saturating":
        return total / (total + rng.uniform(0.3, 2.0))
    if law == "step":
        return 0.3 + 1.0 / (1.0 + np.exp(-np.clip(8.0 * (total / (np.median(total) + 1e-9) - 1.0), -30, 30)))
    return total + rng.uniform(0.0, 1.0)


def _shown(rng: np.random.Generator, column: np.ndarray) -> tuple[np.ndarray, bool]:
    """A metric as reported: a float, a percentage that ends at 100, or a count."""
    kind = rng.random()
    if kind < 0.15:
        top = np.quantile(column, rng.uniform(0.9, 1.0))
        return 100.0 * np.minimum(column / (top + 1e-12), 1.0), False
    if kind < 0.35:
        count = rng.poisson(np.minimum(column * np.exp(rng.uniform(1.0, 7.0)), 1e8)).astype(np.float64)
        if count.std() > 0:
            return count, bool(count.max() < 40)
    return column * np.exp(rng.normal(0.0, 3.0)), False


def traffic(rng: np.random.Generator, rows: int, *, services: int) -> np.ndarray:
    """Positive load curves of mean about one, (N, S), each independent: days, slow wandering, bursts."""
    time = np.arange(rows)[:, None]
    period = rows / rng.uniform(1.0, 12.0, services)
    daily = rng.uniform(0.0, 0.8, services) * (rng.random(services) < 0.6)
    log = daily * np.sin(2 * np.pi * (time / period + rng.random(services)))
    memory = np.where(rng.random(services) < 0.7, rng.uniform(0.3, 0.98, services), 0.0)
    log = log + rng.uniform(0.05, 0.6, services) * smooth_noise(rng, rows, services, memory)
    burst = rng.random((rows, services)) < 0.01 * (rng.random(services) < 0.3)
    log = log + burst * rng.exponential(1.0, (rows, services))
    curve = np.exp(np.clip(log, -6, 6))
    return curve / curve.mean(axis=0)


def own_times(rng: np.random.Generator, requests: np.ndarray, services: int) -> np.ndarray:
    """Time each service spends itself, (N, S): log-normal, gamma, Pareto or nearly constant, averaged over requests."""
    rows = len(requests)
    base = np.exp(rng.normal(0.0, rng.choice([0.3, 1.0]), services))
    shape = rng.choice(["lognormal", "gamma", "pareto", "steady"], size=services, p=[0.4, 0.25, 0.15, 0.2])
    few = np.minimum(requests if requests.ndim == 2 else requests[:, None], 400.0) + np.zeros((rows, services))
    own = np.empty((rows, services))
    memory = np.where(rng.random(services) < rng.choice([0.0, 0.5]), rng.uniform(0.3, 0.95, services), 0.0)
    drift = np.exp(rng.uniform(0.02, 0.35, services) * smooth_noise(rng, rows, services, memory))
    averaged = rng.random() < 0.5
    for kind in np.unique(shape):
        mine = shape == kind
        size = (rows, int(mine.sum()))
        if kind == "lognormal":
            width = rng.uniform(0.1, 1.0, size[1]) / (np.sqrt(few[:, mine]) if averaged else 1.0)
            own[:, mine] = np.exp(width * rng.normal(size=size))
        elif kind == "gamma":
            order = rng.uniform(0.7, 6.0, size[1]) * (few[:, mine] if averaged else 1.0)
            own[:, mine] = rng.gamma(order, size=size) / order
        elif kind == "pareto":
            own[:, mine] = 1.0 + 0.3 * np.minimum(rng.pareto(rng.uniform(1.8, 4.0, size[1]), size=size), 200.0)
        else:
            own[:, mine] = 1.0 + 0.03 * rng.normal(size=size)
    return base * own * drift


def incidents(rng: np.random.Generator, own: np.ndarray) -> tuple[np.ndarray, int]:
    """Own times with a few stretches in which one service is slow, and how many such stretches there are."""
    rows, services = own.shape
    count = int(rng.integers(1, 6)) if rng.random() < 0.4 else 0
    own = own.copy()
    for _ in range(count):
        length = max(2, int(rows * rng.uniform(0.01, 0.08)))
        start = int(rng.integers(rows - length))
        own[start : start + length, rng.integers(services)] *= rng.uniform(1.5, 8.0)
    return own, count


def idle_gaps(rng: np.random.Generator, values: np.ndarray) -> np.ndarray:
    """Values with NaN where a service was idle: whole stretches, and single moments of rarely used services."""
    rows, columns = values.shape
    values = values.copy()
    # Rarely used services miss more. At least three cells in ten of any column stay.
    idle = np.minimum(rng.beta(0.6, 3.0, columns) * rng.choice([0.3, 1.0]), 0.6)
    missing = rng.random((rows, columns)) < idle
    for _ in range(int(rng.integers(0, 3))):
        length = max(1, int(rows * rng.uniform(0.01, 0.05)))
        start = int(rng.integers(rows - length))
        missing[start : start + length, rng.random(columns) < rng.choice([0.2, 1.0])] = True
    # Columns that only just vary keep every cell.
    missing[:, np.ptp(np.where(missing, values[0], values), axis=0) <= 0] = False
    values[missing] = np.nan
    return values
