#!/usr/bin/env python3
"""Labels operations of switches as permitted or refused: label.py NETWORK_FOLDER OPERATIONS_FILE >LABELS

NETWORK_FOLDER is the export `switchyard network export --format csv`. OPERATIONS_FILE has states of the network and operations in them (JSON). The rules are those
of docs/reference/operating.md and docs/reference/network.md, written down here a second time: this program shares nothing with the product. It needs the standard
library only.

An unknown position is not reasoned about. Every combination of the unknown positions that an operation can meet is tried, with all positions known, and the
operation is refused if one of them is dangerous.

Each line of the output is `STATE OPERATION SWITCH open|closed permitted|refused [REASON…]`. A reason is the name of a rule. It ends with `/unknown` if a combination of the
unknown positions exists in which that rule is kept, then with `/behind` if every earth in the way is behind a transformer, and with `/portable` if crews have
placed all of them.
"""
import csv
import itertools
import json
import os
import sys
from collections import defaultdict, deque

# An operation that can meet more unknown positions than this would take too long.
UNKNOWN_MAX = 12

SWITCHES = {"Breaker", "Disconnector", "LoadBreakSwitch", "Fuse", "Recloser", "Sectionaliser", "Switch"}
MADE_FOR_LOAD = {"Breaker", "LoadBreakSwitch", "Recloser"}
EARTH = "GroundDisconnector"

BELIEVED = "position-believed"
NOT_ONTO_EARTH = "network-not-onto-earth"
EARTH_NOT_ONTO_SUPPLY = "network-earth-not-onto-supply"
NOT_JOINED = "network-sources-not-joined"
WITHOUT_LOAD = "network-disconnector-without-load"
INHIBIT = "inhibit"
INHIBIT_SECTION = "inhibit-section"
OUTSIDE = "outside-of-area"
BAY_BUSY = "bay-busy"
# Not a reason of its own: the earth is on the metallic section, not only behind a transformer.
ON_METAL = "on-metal"


def table(folder, name):
    path = os.path.join(folder, name)
    if not os.path.exists(path):
        return []
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


class Network:
    """The exported network: what is connected, and what is measured by which point."""

    def __init__(self, folder):
        self.kind, self.nodes_of, self.normally_open = {}, {}, {}
        self.nominal_kv = {row["id"]: float(row["nominal_kv"] or 0) for row in table(folder, "nodes.csv")}
        # Equipment that always connects: (node, node, whether by windings).
        self.fixed = []
        self.carriers = defaultdict(list)
        # Nodes where a line or a transformer begins.
        self.line_nodes = set()
        self.parent = {row["id"]: row["parent"] for row in table(folder, "containers.csv")}
        self.container = {}
        self.sources = {}
        for row in table(folder, "switches.csv"):
            assert row["in_service"] == "true", "equipment out of service is not covered here"
            name = row["id"]
            self.kind[name] = row["kind"]
            self.nodes_of[name] = [row["node_1"]] + ([row["node_2"]] if row["node_2"] else [])
            self.normally_open[name] = row["normally_open"] == "true"
            self.container[name] = row["container"]
        for row in table(folder, "lines.csv"):
            assert row["kind"] != "DCLineSegment", "lines with direct current are not covered here"
            self.fixed.append((row["node_1"], row["node_2"], False))
            self.nodes_of[row["id"]] = [row["node_1"], row["node_2"]]
            self.line_nodes.update(self.nodes_of[row["id"]])
        for row in table(folder, "transformers.csv"):
            ends = [row[column] for column in ("node_1", "node_2", "node_3") if row.get(column)]
            self.fixed.extend((ends[0], end, True) for end in ends[1:])
            self.nodes_of[row["id"]] = ends
            self.line_nodes.update(ends)
        for name in ("loads.csv", "shunts.csv", "sources.csv", "generators.csv"):
            for row in table(folder, name):
                self.nodes_of[row["id"]] = [row["node"]]
                if name == "sources.csv":
                    self.sources[row["id"]] = row["node"]
                elif name == "generators.csv" and row["kind"] != "PowerElectronicsConnection":
                    raise SystemExit("generators and batteries are not covered here")
                else:
                    self.carriers[row["node"]].append(row["id"])
        self.position_point, self.bay_of, self.voltages = {}, {}, []
        for row in table(folder, "measurements.csv"):
            equipment, point = row["equipment"], row["point"]
            if row["quantity"] == "Pos" and equipment in self.kind:
                self.position_point[equipment] = point
                gateway, device, _ = point.split("/", 2)
                self.bay_of[equipment] = (gateway, device)
            elif row["quantity"] in ("Vry", "Vyb", "Vbr"):
                node = self.nodes_of[equipment][int(row["terminal"]) - 1]
                self.voltages.append((equipment, node, point))
        self.switches_of_bay = defaultdict(list)
        for switch, bay in self.bay_of.items():
            self.switches_of_bay[bay].append(switch)
        self._normal_feeds()

    def _normal_feeds(self):
        """What is joined by anything but switches (a section), and how the sections are joined in the normal state."""
        self.section = Groups(self.nominal_kv)
        for one, other, _ in self.fixed:
            self.section.join(one, other)
        self.members = defaultdict(list)
        for node in self.nominal_kv:
            self.members[self.section.of(node)].append(node)
        self.normal = defaultdict(list)
        for switch, kind in self.kind.items():
            if kind in SWITCHES and not self.normally_open[switch]:
                one, other = (self.section.of(node) for node in self.nodes_of[switch])
                self.normal[one].append((switch, other))
                self.normal[other].append((switch, one))
        self.source_sections = {self.section.of(node) for node in self.sources.values()}
        # Disconnectors in any position.
        self.disconnectors = defaultdict(list)
        for switch, kind in self.kind.items():
            if kind == "Disconnector":
                one, other = (self.section.of(node) for node in self.nodes_of[switch])
                self.disconnectors[one].append((switch, other))
                self.disconnectors[other].append((switch, one))
        self.line_sections = {self.section.of(node) for node in self.line_nodes}

    def fed_in_normal_state(self, switch):
        """The section that a switch feeds in the normal state, and all that is behind it; none if it feeds nothing."""
        if self.normally_open[switch] or self.kind[switch] not in SWITCHES:
            return None, set()
        ends = [self.section.of(node) for node in self.nodes_of[switch]]
        reached = [reach(self.normal, end, lambda other: other != switch) for end in ends]
        fed = [bool(nodes & self.source_sections) for nodes in reached]
        if fed == [True, False]:
            return ends[1], reached[1]
        if fed == [False, True]:
            return ends[0], reached[0]
        return None, set()

    def protected_by(self, switch):
        """What an inhibit on a switch protects: the section that it feeds in the normal state, with the line behind disconnectors in any position."""
        section, _ = self.fed_in_normal_state(switch)
        if section is None:
            return set()
        if section in self.line_sections:
            return {section}
        # Breadth first, so that the nearest line comes first.
        found, ahead = {section}, deque([section])
        while ahead:
            for other, beyond in self.disconnectors.get(ahead.popleft(), ()):
                if other == switch or beyond in found:
                    continue
                if beyond in self.line_sections:
                    return {section, beyond}
                found.add(beyond)
                ahead.append(beyond)
        return {section}

    def containers_of(self, switch):
        """The containers of a switch, the nearest first."""
        above, container = [], self.container[switch]
        while container:
            above.append(container)
            container = self.parent[container]
        return above


class Groups:
    """Nodes that are joined (union-find)."""

    def __init__(self, nodes):
        self.parent = {node: node for node in nodes}

    def of(self, node):
        while self.parent[node] != node:
            self.parent[node] = self.parent[self.parent[node]]
            node = self.parent[node]
        return node

    def join(self, one, other):
        self.parent[self.of(one)] = self.of(other)


def reach(neighbours, start, passes):
    """All that can be reached from a start over the switches that `passes` (breadth first)."""
    found, ahead = {start}, deque([start])
    while ahead:
        for switch, other in neighbours.get(ahead.popleft(), ()):
            if other not in found and passes(switch):
                found.add(other)
                ahead.append(other)
    return found


class Part:
    """The network of a state as groups of nodes that are joined in any case, with the switches between the groups: with or without the windings of transformers."""

    def __init__(self, network, always_closed, movable, over_windings):
        self.groups = Groups(network.nominal_kv)
        for one, other, is_winding in network.fixed:
            if over_windings or not is_winding:
                self.groups.join(one, other)
        for switch in always_closed:
            self.groups.join(*network.nodes_of[switch])
        self.neighbours = defaultdict(list)
        for switch in movable:
            one, other = (self.groups.of(node) for node in network.nodes_of[switch])
            self.neighbours[one].append((switch, other))
            self.neighbours[other].append((switch, one))


class State:
    """A state of the network as users and points report it. `True` is closed or present, `False` is open or gone, `None` is unknown."""

    def __init__(self, network, described):
        self.network, reports = network, described["reports"]
        self.commanded = set(described["commanded"])
        self.inhibits = described["inhibits"]
        self.kind, self.nodes_of = dict(network.kind), dict(network.nodes_of)
        self.position, self.bay_position = {}, {}
        self.disbelieved = {switch for switch, entry in described["entered"].items() if entry["rule"] == "untilWithdrawn"}
        for switch in network.kind:
            point = network.position_point.get(switch)
            report = reports.get(point)
            # Without a point, a position is only assumed.
            reported = None if point is None else reported_position(report)
            if point is not None:
                self.bay_position[switch] = reported
            entry = described["entered"].get(switch)
            is_entered = entry is not None and entry_counts(entry, report)
            if is_entered and point is not None:
                # For the rules of the bay, an entered "open" is not certain.
                self.bay_position[switch] = True if entry["position"] == "closed" else None
            if switch in self.commanded:
                self.position[switch] = None
            elif is_entered:
                self.position[switch] = entry["position"] == "closed"
            else:
                self.position[switch] = reported
        self.portable = set()
        for number, node in described["portable_earths"].items():
            name = "temporary/" + number
            self.kind[name], self.nodes_of[name], self.position[name] = EARTH, [node], True
            self.portable.add(name)
        # A source is live while a voltage at it is that of a live line; without one it is unknown.
        self.source, self.measured_live = {}, set()
        for source in network.sources:
            measured = [is_live(network, node, reports.get(point)) for equipment, node, point in network.voltages if equipment == source]
            known = [live for live in measured if live is not None]
            self.source[source] = True if True in known else (False if measured and len(known) == len(measured) else None)
        # A voltage at any other terminal shows that its node is live. A zero shows nothing.
        for equipment, node, point in network.voltages:
            if equipment not in network.sources and is_live(network, node, reports.get(point)):
                self.measured_live.add(node)
        switches = [switch for switch, kind in self.kind.items() if kind in SWITCHES]
        always = [switch for switch in switches if switch not in network.position_point and self.position[switch] is True]
        movable = [switch for switch in switches if switch in network.position_point or self.position[switch] is None]
        self.metallic = Part(network, always, movable, over_windings=False)
        self.whole = Part(network, always, movable, over_windings=True)
        # Earths by the groups without windings and with them.
        self.earths_at, self.earths_behind, self.sources_at = defaultdict(list), defaultdict(list), defaultdict(list)
        for earth, kind in self.kind.items():
            if kind == EARTH:
                self.earths_at[self.metallic.groups.of(self.nodes_of[earth][0])].append(earth)
                self.earths_behind[self.whole.groups.of(self.nodes_of[earth][0])].append(earth)
        for source, node in network.sources.items():
            self.sources_at[self.whole.groups.of(node)].append(source)
        self.live_groups = {self.whole.groups.of(node) for node in self.measured_live}
        self.carrier_groups = {self.whole.groups.of(node) for node in network.carriers}
        self.protected = [protected_nodes(network, tag) for tag in self.inhibits]
        self.protected_groups = [{self.whole.groups.of(node) for node in nodes} for nodes in self.protected]

    def holder(self, switch, path, areas):
        """Who holds the area of a switch: the most specific part that contains it decides. A container of the network is more specific than the hierarchy."""
        if areas["container"]["id"] in self.network.containers_of(switch):
            return areas["container"]["holder"]
        return areas["node"]["holder"] if areas["node"]["id"] in path else areas["rest"]

    def refusals(self, operation, hierarchy):
        """The reasons to refuse an operation, each with whether it depends on unknown positions."""
        switch, closes = operation["switch"], operation["to"] == "closed"
        station, bay = switch.split("/")[0], self.network.bay_of[switch]
        reasons = {}
        if operation["areas"] and self.holder(switch, hierarchy[station], operation["areas"]) != "own":
            reasons[OUTSIDE] = False
        if any(self.covers(tag, switch) for tag in self.inhibits):
            reasons[INHIBIT] = False
        if any(other != switch and self.network.bay_of[other] == bay for other in self.commanded):
            reasons[BAY_BUSY] = False
        for rule in self.bay_rules(switch, closes):
            reasons[rule] = False
        if switch in self.disbelieved:
            # Where it is, is not known well enough for the other rules.
            return {**reasons, BELIEVED: False}
        for rule, is_certain in self.network_rules(switch, closes, operation["checks_synchronism"]).items():
            reasons[rule] = not is_certain
        return reasons

    def covers(self, tag, switch):
        """Whether a tag blocks all operations of a switch."""
        return tag["switch"] == switch if tag["scope"] == "device" else tuple(tag["bay"]) == self.network.bay_of[switch]

    def bay_rules(self, switch, closes):
        """The rules of the bay: a switch of the kind on the right that is not certainly open forbids the move on the left."""
        kind = self.kind[switch]
        rules = [
            ("breaker-not-onto-earth", kind in ("Breaker", "Recloser") and closes, (EARTH,)),
            ("isolator-not-onto-earth", kind == "Disconnector" and closes, (EARTH,)),
            ("isolator-without-load", kind == "Disconnector", ("Breaker", "Recloser")),
            ("earth-behind-open-breaker", kind == EARTH and closes, ("Breaker", "Recloser")),
            ("earth-behind-open-isolator", kind == EARTH and closes, ("Disconnector",)),
        ]
        others = [other for other in self.network.switches_of_bay[self.network.bay_of[switch]] if other != switch]
        for name, applies, kinds in rules:
            if applies and any(self.kind[other] in kinds and self.bay_position[other] is not False for other in others):
                yield name

    def network_rules(self, switch, closes, checks_synchronism):
        """The broken rules of the network, each with whether it is broken in every combination of the unknown positions."""
        unknown = self.unknown_within_reach(switch)
        if len(unknown) > UNKNOWN_MAX:
            raise SystemExit(f"{switch} can meet {len(unknown)} unknown positions")
        count, broken = 0, defaultdict(int)
        for values in itertools.product((False, True), repeat=len(unknown)):
            chosen = dict(zip(unknown, values))
            count += 1
            for rule in self.dangers(switch, closes, checks_synchronism, chosen):
                broken[rule] += 1
        return {rule: times == count for rule, times in broken.items()}

    def unknown_within_reach(self, switch):
        """The unknown positions, earths and sources that can matter for a move: those that can be reached if all unknown positions are closed."""
        may_pass = lambda other: other != switch and self.position[other] is not False
        groups = set()
        for node in self.nodes_of[switch]:
            groups |= reach(self.whole.neighbours, self.whole.groups.of(node), may_pass)
        at = lambda name: self.whole.groups.of(self.nodes_of[name][0]) in groups or self.whole.groups.of(self.nodes_of[name][-1]) in groups
        positions = [other for other, position in self.position.items() if position is None and other != switch and at(other)]
        return positions + [source for source, state in self.source.items() if state is None and at(source)]

    def dangers(self, switch, closes, checks_synchronism, chosen):
        """The rules that a move breaks where the unknown positions are those chosen."""
        is_closed = lambda other: chosen.get(other, self.position[other])
        passes = lambda other: other != switch and is_closed(other)
        is_present = lambda source: chosen.get(source, self.source[source])
        sides = [reach(self.whole.neighbours, self.whole.groups.of(node), passes) for node in self.nodes_of[switch]]
        fed = [any(is_present(source) for group in side for source in self.sources_at.get(group, ())) for side in sides]
        measured = [bool(side & self.live_groups) for side in sides]
        live = [one or other for one, other in zip(fed, measured)]
        broken = set()
        if self.kind[switch] == EARTH:
            has_source = any(self.sources_at.get(group) for group in sides[0])
            if closes and (has_source or live[0]):
                broken.add(EARTH_NOT_ONTO_SUPPLY)
            return broken
        is_joined = bool(sides[0] & sides[1])
        sources = [{source for group in side for source in self.sources_at.get(group, ())} for side in sides]
        if closes:
            for node in self.nodes_of[switch]:
                metallic = reach(self.metallic.neighbours, self.metallic.groups.of(node), passes)
                if any(is_closed(earth) for group in metallic for earth in self.earths_at.get(group, ())):
                    broken |= {NOT_ONTO_EARTH, ON_METAL}
            # An earth behind a transformer is no obstacle by itself, but what feeds one side now, or when a source returns, would energise it on the other side.
            for near, far in ((0, 1), (1, 0)):
                would_feed = (live[near] or sources[near]) and not live[far] and not is_joined
                if would_feed and any(is_closed(earth) for group in sides[far] for earth in self.earths_behind.get(group, ())):
                    broken.add(NOT_ONTO_EARTH)
            if live == [True, True] and not is_joined and not checks_synchronism:
                broken.add(NOT_JOINED)
            if live in ([True, False], [False, True]):
                dead = sides[live.index(False)]
                # A tag that covers the switch itself blocks it already.
                protected = [groups for tag, groups in zip(self.inhibits, self.protected_groups) if not self.covers(tag, switch)]
                if any(groups & dead for groups in protected):
                    broken.add(INHIBIT_SECTION)
                # A source on the dead side is gone: this would feed back to where it comes from, also with a synchronism check.
                if sources[live.index(False)]:
                    broken.add(NOT_JOINED)
        if self.kind[switch] not in MADE_FOR_LOAD and (any(live) or any(sources)):
            # A source gives current, also one that is gone and can return. A voltage that nothing known feeds has a source that nobody knows. While the
            # switch is closed, what feeds one of its sides feeds the other one.
            is_fed = fed if closes else [any(fed)] * 2
            unexplained = [one and not other for one, other in zip(measured, is_fed)]
            carries = [bool(side & self.carrier_groups or at or one) for side, at, one in zip(sides, sources, unexplained)]
            if is_joined or all(carries):
                broken.add(WITHOUT_LOAD)
        return broken

    def only_portable_within_reach(self, switch):
        """Whether the only earths that are or may be closed and joined with a switch, also over transformers, are portable ones."""
        may_pass = lambda other: other != switch and self.position[other] is not False
        earths = set()
        for node in self.nodes_of[switch]:
            for group in reach(self.whole.neighbours, self.whole.groups.of(node), may_pass):
                earths.update(earth for earth in self.earths_behind.get(group, ()) if self.position[earth] is not False)
        return bool(earths) and earths <= self.portable


def reported_position(report):
    """The position that a point reports: open, closed, or unknown if it travels, is bad, or has never been reported."""
    if report is None or report["quality"] != "good":
        return None
    return {"double": {1: False, 2: True}, "single": {0: False, 1: True}}[report["encoding"]].get(report["value"])


def entry_counts(entry, report):
    """Whether an entered position counts beside the last report of its point. A newer report ends an entry, unless the report is marked as invalid."""
    if entry["rule"] == "untilWithdrawn" or report is None or report["quality"] == "invalid":
        return True
    return report["age_s"] >= entry["age_s"]


def is_live(network, node, report):
    """Whether a voltage is that of a live line; `None` if it is not known."""
    if report is None or report["quality"] != "good":
        return None
    return report["value"] >= 0.1 * network.nominal_kv[node]


def protected_nodes(network, tag):
    """What an inhibit protects: what a tagged switch feeds in the normal state, or the whole feeder of a tagged feeder."""
    if tag["scope"] == "device":
        sections = network.protected_by(tag["switch"])
    else:
        sections = set()
        for switch in network.switches_of_bay[tuple(tag["bay"])]:
            sections |= network.fed_in_normal_state(switch)[1]
            if network.kind[switch] == EARTH:
                sections.add(network.section.of(network.nodes_of[switch][0]))
    return {node for section in sections for node in network.members[section]}


def main():
    folder, file = sys.argv[1:]
    network = Network(folder)
    with open(file, encoding="utf-8") as opened:
        described_all = json.load(opened)
    for number, described in enumerate(described_all["states"]):
        state = State(network, described)
        for at, operation in enumerate(described["operations"]):
            reasons = state.refusals(operation, described_all["hierarchy"])
            is_behind = reasons.pop(ON_METAL, None) is None
            names = [name + ("/unknown" if depends else "") for name, depends in sorted(reasons.items())]
            if NOT_ONTO_EARTH in reasons:
                portable = "/portable" if state.only_portable_within_reach(operation["switch"]) else ""
                ending = ("/behind" if is_behind else "") + portable
                names = [name + ending if name.startswith(NOT_ONTO_EARTH) else name for name in names]
            decision = "refused" if reasons else "permitted"
            print(number, at, operation["switch"], operation["to"], decision, *names)


if __name__ == "__main__":
    main()
