"""Writes networks with random switch states, and which buses pandapower finds without supply and connected in each.

    states.py FOLDER [STATES]

For each network it writes NAME.json (the network) and NAME.states. A line of the latter is one state, in three parts divided by tabs: the switches that
are open, the buses without supply, and for each bus that is not connected with the lowest one the lowest bus of its island. Networks without switches get
one at both ends of each line and at the high-voltage side of each transformer. It prints a line of JSON with the figures of all networks.

FOLDER/vectors gets the first states of small networks that the licence of pandapower (BSD) permits to publish, each with what connectivity needs.
"""

import copy
import hashlib
import json
import pathlib
import random
import sys
import warnings

import networkx
import pandapower
import pandapower.networks
import pandapower.topology
import pandas
import simbench

warnings.filterwarnings("ignore")

PANDAPOWER = """example_simple example_multivoltage mv_oberrhein create_cigre_network_hv create_cigre_network_mv create_cigre_network_lv
case9 case14 case24_ieee_rts case30 case33bw case39 case57 case118 case300 iceland
create_kerber_dorfnetz create_kerber_landnetz_freileitung_1 create_kerber_vorstadtnetz_kabel_1 ieee_european_lv_asymmetric
simple_four_bus_system simple_mv_open_ring_net four_loads_with_branches_out panda_four_load_branch""".split()
SIMBENCH = """1-LV-rural1--0-sw 1-LV-semiurb4--0-sw 1-LV-urban6--0-sw 1-MV-rural--0-sw 1-MV-semiurb--0-sw 1-MV-urban--0-sw 1-MV-comm--0-sw
1-HV-mixed--0-sw 1-HV-urban--0-sw""".split()

# The vectors in the repository.
VECTORS = """example_simple example_multivoltage mv_oberrhein create_cigre_network_hv create_cigre_network_mv create_cigre_network_lv
simple_four_bus_system simple_mv_open_ring_net four_loads_with_branches_out panda_four_load_branch""".split()
VECTOR_STATES = 40


def networks():
    for name in PANDAPOWER:
        made = getattr(pandapower.networks, name)()
        yield name, made[0] if isinstance(made, tuple) else made
    for code in SIMBENCH:
        yield code, simbench.get_simbench_net(code)


def add_switches(net):
    for line in net.line.index:
        for side in ("from_bus", "to_bus"):
            pandapower.create_switch(net, net.line.at[line, side], line, et="l")
    for transformer in net.trafo.index:
        pandapower.create_switch(net, net.trafo.at[transformer, "hv_bus"], transformer, et="t")


def write_vector(folder, name, net):
    """Writes a network without results, standard types, coordinates and empty tables."""
    net = copy.deepcopy(net)
    for key in list(net.keys()):
        table = net[key]
        if isinstance(table, pandas.DataFrame) and (table.empty or key.startswith(("res_", "_"))):
            del net[key]
        elif isinstance(table, pandas.DataFrame):
            net[key] = table.drop(columns="geo", errors="ignore")
    net["std_types"] = {}
    folder.mkdir(exist_ok=True)
    (folder / f"{name}.json").write_text(pandapower.to_json(net) + "\n")


def state(net):
    """Returns the text of the present state."""
    graph = pandapower.topology.create_nxgraph(net, respect_switches=True)
    dead = sorted(int(bus) for bus in pandapower.topology.unsupplied_buses(net, mg=graph))
    lowest = {}
    for island in networkx.connected_components(graph):
        first = int(min(island))
        lowest.update((int(bus), first) for bus in island)
    opened = sorted(int(switch) for switch in net.switch.index[~net.switch.closed])
    join = lambda numbers: ",".join(map(str, numbers))
    apart = (f"{bus}={lowest[bus]}" for bus in sorted(lowest) if lowest[bus] != min(lowest))
    return f"{join(opened)}\t{join(dead)}\t{join(apart)}\n", len(dead), len(set(lowest.values()))


def main():
    folder, states = pathlib.Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 2000
    folder.mkdir(parents=True, exist_ok=True)
    figures = []
    for name, net in networks():
        if net.switch.empty:
            add_switches(net)
        pandapower.to_json(net, str(folder / f"{name}.json"))
        if name in VECTORS:
            write_vector(folder / "vectors", name, net)
        choose = random.Random(name)
        normal = net.switch.closed.copy()
        total_dead = total_islands = 0
        digest = hashlib.sha256()
        with open(folder / f"{name}.states", "w") as out:
            for number in range(states):
                # From a single switch that differs from its normal position to half of all.
                share = choose.choice([0.01, 0.05, 0.2, 0.5])
                net.switch["closed"] = [bool(is_closed) != (number > 0 and choose.random() < share) for is_closed in normal]
                text, dead, islands = state(net)
                out.write(text)
                digest.update(text.encode())
                total_dead += dead
                total_islands += islands
        if name in VECTORS:
            lines = (folder / f"{name}.states").read_text().splitlines(keepends=True)
            (folder / "vectors" / f"{name}.states").write_text("".join(lines[:VECTOR_STATES]))
        figures.append({
            "network": name, "buses": len(net.bus), "switches": len(net.switch), "states": states,
            "busesWithoutSupply": total_dead, "islands": total_islands, "sha256": digest.hexdigest(),
        })
        print(f"{name}: {len(net.bus)} buses, {len(net.switch)} switches", file=sys.stderr)
    print(json.dumps({"pandapower": pandapower.__version__, "simbench": simbench.__version__, "networks": figures}, indent=1))


main()
