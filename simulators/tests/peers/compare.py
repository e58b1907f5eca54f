"""Compares the physics of the demo with pandapower: compare.py FOLDER [VECTORS]

FOLDER has been written by the example `physics_peers`. VECTORS is the file that gets what pandapower has found, for the tests of the simulators.
"""
import json
import math
import pathlib
import sys

import pandapower

VOLTAGE_LIMIT_PU = 1e-4
CURRENT_LIMIT = 1e-3
# Currents below this, A, are compared as if they were this great.
LEAST_CURRENT = 1.0

folder = pathlib.Path(sys.argv[1])
vectors, worst_voltage, worst_current, worst_power = [], (0.0, ""), (0.0, ""), (0.0, "")


def number(value):
    return 0.0 if math.isnan(value) else float(value)


for at in range(10):
    net = pandapower.from_json(str(folder / f"{at}.json"))
    pandapower.runpp(net, trafo_model="t", calculate_voltage_angles=True, tolerance_mva=1e-9, init="dc", max_iteration=50)
    given = json.loads((folder / f"{at}.values").read_text())
    rows = {table: {row["source_id"]: index for index, row in net[table].iterrows()} for table in ("bus", "line", "trafo", "shunt")}
    found = {}
    for station, values in given["values"].items():
        found[station] = {}
        for metric, value in values.items():
            asset, what = metric.split("/")
            if asset.startswith("BUS"):
                index = rows["bus"][f"{station}/{asset}"]
                nominal = net.bus.at[index, "vn_kv"]
                peer = number(net.res_bus.at[index, "vm_pu"]) * nominal
                worst_voltage = max(worst_voltage, (abs(peer - value) / nominal, f"{given['name']}: {station}/{metric}"))
            else:
                if asset.startswith("TX"):
                    row = net.res_trafo.loc[rows["trafo"][f"{station}/{asset}"]]
                    p, q, i = row.p_hv_mw, row.q_hv_mvar, row.i_lv_ka
                elif asset.startswith("CAP"):
                    p, q, i = 0.0, net.res_shunt.at[rows["shunt"][f"{station}/{asset}"], "q_mvar"], 0.0
                elif asset.startswith("INC"):
                    row = net.res_line.loc[rows["line"][f"{station}/{asset}/circuit"]]
                    p, q, i = -row.p_to_mw, -row.q_to_mvar, row.i_to_ka
                else:
                    line = rows["line"].get(f"{station}/{asset}/S1")
                    if line is None:
                        # A feeder that supplies a substation, or a spare one.
                        continue
                    row = net.res_line.loc[line]
                    p, q, i = row.p_from_mw, row.q_from_mvar, row.i_from_ka
                peer = {"P": number(p), "Q": number(q), "I": number(i) * 1_000.0}[what]
                if what == "I":
                    worst_current = max(worst_current, (abs(peer - value) / max(peer, LEAST_CURRENT), f"{given['name']}: {station}/{metric}"))
                else:
                    worst_power = max(worst_power, (abs(peer - value), f"{given['name']}: {station}/{metric}"))
            found[station][metric] = round(peer, 7)
    vectors.append({"name": given["name"], "values": found})

print(f"pandapower {pandapower.__version__}, {len(vectors)} instants, {sum(len(v) for one in vectors for v in one['values'].values())} values")
print(f"= greatest difference of a voltage, pu, {worst_voltage[1]} | {worst_voltage[0]:.1e} | <= {VOLTAGE_LIMIT_PU}")
print(f"= greatest relative difference of a current, {worst_current[1]} | {worst_current[0]:.1e} | <= {CURRENT_LIMIT}")
print(f"greatest difference of a power, MW or MVAr, {worst_power[1]}: {worst_power[0]:.1e}")
if len(sys.argv) > 2:
    about = f"The demo's network at ten instants, solved by pandapower {pandapower.__version__}; written by scripts/demo-peers."
    pathlib.Path(sys.argv[2]).write_text(json.dumps({"about": about, "instants": vectors}, separators=(",", ":"), sort_keys=True) + "\n")
sys.exit(worst_voltage[0] > VOLTAGE_LIMIT_PU or worst_current[0] > CURRENT_LIMIT)
