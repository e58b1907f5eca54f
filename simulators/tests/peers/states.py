"""Writes what pandapower finds in random switch states of the demo's network: states.py FOLDER VECTORS

FOLDER has been written by the example `physics_peers`. A line of VECTORS is one state, with tabs between its parts: its number, the number of open
switches, of buses without supply and of islands, and two sums that differ if one bus is in another island or supplied otherwise. Buses and switches are
numbered in the order of their ids. Which switches differ from the exported positions follows from the number of the state: see `is_moved`.
"""
import pathlib
import sys

import networkx
import pandapower
import pandapower.topology

STATES = 2000
# How many of 1,000 switches are moved, by the number of the state modulo 4.
SHARES = [5, 30, 200, 500]
PRIME = 1_000_000_007

net = pandapower.from_json(str(pathlib.Path(sys.argv[1]) / "0.json"))


def is_moved(state, switch):
    mixed = (state * 1_000_003 + switch * 7_919) & 0xFFFF_FFFF
    for factor in (0x85EB_CA6B, 0xC2B2_AE35):
        mixed = ((mixed ^ (mixed >> 15)) * factor) & 0xFFFF_FFFF
    return state > 0 and (mixed ^ (mixed >> 16)) % 1000 < SHARES[state % 4]


# The buses behind the impedances of the sources are those of the export alone.
buses = sorted((row["source_id"], index) for index, row in net.bus.iterrows() if not row["source_id"].endswith("/source:node"))
switches = sorted((row["source_id"], index) for index, row in net.switch.iterrows())
place = {index: number for number, (_, index) in enumerate(buses)}
normal = [bool(net.switch.at[index, "closed"]) for _, index in switches]
with open(sys.argv[2], "w") as out:
    for state in range(STATES):
        for number, (_, index) in enumerate(switches):
            net.switch.at[index, "closed"] = normal[number] != is_moved(state, number)
        graph = pandapower.topology.create_nxgraph(net, respect_switches=True)
        dead = sorted(place[bus] for bus in pandapower.topology.unsupplied_buses(net, mg=graph) if bus in place)
        sum_of_dead = sum((bus + 1) ** 2 for bus in dead) % PRIME
        islands = sum_of_islands = 0
        for island in networkx.connected_components(graph):
            members = sorted(place[bus] for bus in island if bus in place)
            if members:
                islands += 1
                sum_of_islands += sum((bus + 1) * (members[0] + 1) for bus in members)
        opened = int((~net.switch.closed).sum())
        out.write(f"{state}\t{opened}\t{len(dead)}\t{islands}\t{sum_of_dead}\t{sum_of_islands % PRIME}\n")
