"""Writes networks with the load flow that pandapower finds for them, for the program examples/peer_flows.rs.

    flows.py FOLDER

For each network it writes NAME.json with the network as a description, the voltage of each bus (per unit and degrees) and the current at each terminal
of lines and transformers (kA). What a description cannot hold (wards, direct current, controllers) is put out of service first, so that both tools
calculate the same network. Transformers follow pandapower's model "t", which is the default of both tools.
"""

import json
import math
import pathlib
import sys
import time
import warnings

import numpy
import pandapower
import pandapower.networks
import simbench
from pandapower.build_branch import _calc_tap_from_dataframe, _trafo_df_from_trafo3w

warnings.filterwarnings("ignore")

PANDAPOWER = """case9 case14 case30 case33bw case39 case57 case118 create_cigre_network_hv create_cigre_network_mv create_cigre_network_lv mv_oberrhein
example_simple example_multivoltage create_kerber_landnetz_freileitung_1 simple_mv_open_ring_net case300 case1888rte""".split()
SIMBENCH = "1-LV-rural1--0-sw 1-LV-semiurb4--0-sw 1-MV-rural--0-sw 1-MV-semiurb--0-sw 1-MV-comm--0-sw 1-HV-mixed--0-sw".split()
LEFT_OUT = "ward xward dcline svc ssc tcsc vsc b2b_vsc motor".split()


def networks():
    for name in PANDAPOWER:
        made = getattr(pandapower.networks, name)()
        yield name, made[0] if isinstance(made, tuple) else made
    if hasattr(pandapower.networks, "create_cigre_network_mv"):
        yield "cigre_mv_all", pandapower.networks.create_cigre_network_mv(with_der="all")
    for code in SIMBENCH:
        yield code, simbench.get_simbench_net(code)


class Writer:
    """Collects a description."""

    def __init__(self, net):
        self.net = net
        self.nodes = []
        self.equipment = []
        self.currents = []
        for bus in net.bus.index:
            self.nodes.append({"id": f"bus:{bus}", "nominal_kv": float(net.bus.vn_kv.at[bus])})
        self.switches = {}
        for number, switch in net.switch.iterrows():
            if switch.et != "b":
                self.switches.setdefault((switch.et, switch.element, switch.bus), []).append((number, bool(switch.closed)))

    def serves(self, table, number):
        return bool(table.in_service.at[number])

    def add(self, id, kind, nodes, values=None, in_service=True):
        in_service = in_service and all(self.net.bus.in_service.at[int(node[4:])] for node in nodes if node.startswith("bus:"))
        self.equipment.append({
            "id": id, "kind": kind, "terminals": [{"node": node} for node in nodes], "is_in_service": in_service,
            "electrical": values or "Nothing",
        })

    def end(self, kind, element, bus):
        """Returns the node of an end of a line or transformer: behind its switch, if it has one."""
        at = f"bus:{bus}"
        for number, closed in self.switches.get((kind, element, bus), []):
            inside = f"inside:{number}"
            self.nodes.append({"id": inside, "nominal_kv": float(self.net.bus.vn_kv.at[bus]), "is_internal": True})
            self.add(f"switch:{number}", "Switch", [at, inside], {"Switch": {"is_normally_open": not closed}})
            at = inside
        return at

    def current(self, id, terminal, kiloamperes):
        if kiloamperes == kiloamperes:
            self.currents.append([id, terminal, float(kiloamperes)])


def lines(writer):
    net = writer.net
    for number, line in net.line.iterrows():
        ends = [writer.end("l", number, line.from_bus), writer.end("l", number, line.to_bus)]
        length, parallel = line.length_km, line.parallel
        omega = 2 * math.pi * net.f_hz
        series = {"r_ohm": line.r_ohm_per_km * length / parallel, "x_ohm": line.x_ohm_per_km * length / parallel}
        values = {"series": series, "length_km": length, "g_s": line.g_us_per_km * 1e-6 * length * parallel,
                  "b_s": omega * line.c_nf_per_km * 1e-9 * length * parallel}
        writer.add(f"line:{number}", "ACLineSegment", ends, {"Line": values}, writer.serves(net.line, number))
        writer.current(f"line:{number}", 1, net.res_line.i_from_ka.at[number])
        writer.current(f"line:{number}", 2, net.res_line.i_to_ka.at[number])


def tap(voltage, rated, degrees):
    return {"step": 1, "neutral": 0, "low": 0, "high": 1, "step_percent": (voltage / rated - 1) * 100, "step_degrees": degrees}


def series(vk, vkr, kv, mva, parallel):
    z, r = (percent / 100 * kv * kv / mva / parallel for percent in (vk, vkr))
    return {"r_ohm": r, "x_ohm": math.copysign(math.sqrt(z * z - r * r), z)}


def core(i0, pfe_kw, kv, mva, parallel):
    g = pfe_kw / 1000 / kv / kv
    y = i0 / 100 * mva / kv / kv
    return {"g_s": g * parallel, "b_s": -math.sqrt(max(y * y - g * g, 0)) * parallel}


def transformers(writer):
    net = writer.net
    if net.trafo.empty:
        return
    high, low, shift = _calc_tap_from_dataframe(net, net.trafo)
    for at, (number, trafo) in enumerate(net.trafo.iterrows()):
        ends = [writer.end("t", number, trafo.hv_bus), writer.end("t", number, trafo.lv_bus)]
        clock = round(shift[at] / 30) % 12
        first = {"rated_kv": trafo.vn_hv_kv, "rated_kva": trafo.sn_mva * 1000, "tap": tap(high[at], trafo.vn_hv_kv, shift[at] - clock * 30),
                 "series": series(trafo.vk_percent, trafo.vkr_percent, trafo.vn_hv_kv, trafo.sn_mva, trafo.parallel),
                 **core(trafo.i0_percent, trafo.pfe_kw, trafo.vn_hv_kv, trafo.sn_mva, trafo.parallel)}
        second = {"rated_kv": trafo.vn_lv_kv, "clock": clock, "tap": tap(low[at], trafo.vn_lv_kv, 0)}
        writer.add(f"trafo:{number}", "PowerTransformer", ends, {"Transformer": {"ends": [first, second]}}, writer.serves(net.trafo, number))
        writer.current(f"trafo:{number}", 1, net.res_trafo.i_hv_ka.at[number])
        writer.current(f"trafo:{number}", 2, net.res_trafo.i_lv_ka.at[number])


def three_windings(writer):
    net = writer.net
    if net.trafo3w.empty:
        return
    pairs = _trafo_df_from_trafo3w(net)
    high, low, shift = _calc_tap_from_dataframe(net, pairs)
    count = len(net.trafo3w)
    for at, (number, trafo) in enumerate(net.trafo3w.iterrows()):
        ends, nodes = [], []
        for side, (name, bus) in enumerate([("hv", trafo.hv_bus), ("mv", trafo.mv_bus), ("lv", trafo.lv_bus)]):
            nodes.append(writer.end("t3", number, bus))
            row = at + side * count
            rated = trafo[f"vn_{name}_kv"]
            voltage, at_star = (high[row], low[row]) if side == 0 else (low[row], high[row])
            assert abs(at_star / trafo.vn_hv_kv - 1) < 1e-9, "a tap changer at the star point"
            mva = pairs["sn_mva"][row]
            clock = round(shift[row] / 30) % 12
            end = {"rated_kv": rated, "clock": clock, "tap": tap(voltage, rated, (shift[row] - clock * 30) * (1 if side == 0 else -1)),
                   "series": series(pairs["vk_percent"][row], pairs["vkr_percent"][row], rated, mva, 1),
                   **core(pairs["i0_percent"][row], pairs["pfe_kw"][row], rated, mva, 1)}
            ends.append(end)
            writer.current(f"trafo3w:{number}", side + 1, net.res_trafo3w[f"i_{name}_ka"].at[number])
        writer.add(f"trafo3w:{number}", "PowerTransformer", nodes, {"Transformer": {"ends": ends}}, writer.serves(net.trafo3w, number))


def switches(writer):
    net = writer.net
    for number, switch in net.switch.iterrows():
        if switch.et == "b":
            nodes = [f"bus:{switch.bus}", f"bus:{switch.element}"]
            if switch.z_ohm > 0 and switch.closed:
                writer.add(f"switch:{number}", "SeriesCompensator", nodes, {"Series": {"r_ohm": switch.z_ohm}})
            else:
                writer.add(f"switch:{number}", "Switch", nodes, {"Switch": {"is_normally_open": not bool(switch.closed)}})
    for number, item in net.impedance.iterrows():
        kv = net.bus.vn_kv.at[item.from_bus]
        assert item.rft_pu == item.rtf_pu and item.xft_pu == item.xtf_pu, "an impedance that depends on the direction"
        values = {"r_ohm": item.rft_pu * kv * kv / item.sn_mva, "x_ohm": item.xft_pu * kv * kv / item.sn_mva}
        nodes = [f"bus:{item.from_bus}", f"bus:{item.to_bus}"]
        writer.add(f"impedance:{number}", "SeriesCompensator", nodes, {"Series": values}, writer.serves(net.impedance, number))


def value(row, *names):
    for name in names:
        if name in row and row[name] == row[name]:
            return row[name]
    return 0.0


def injections(writer):
    net = writer.net
    for number, load in net.load.iterrows():
        share = lambda kind: value(load, f"const_{kind}_p_percent", f"const_{kind}_percent") / 100
        values = {"kw": load.p_mw * load.scaling * 1000, "kvar": load.q_mvar * load.scaling * 1000,
                  "constant_impedance": share("z"), "constant_current": share("i")}
        writer.add(f"load:{number}", "EnergyConsumer", [f"bus:{load.bus}"], {"Consumer": values}, writer.serves(net.load, number))
    for table, kind, sign in [("sgen", "PowerElectronicsConnection", 1), ("storage", "BatteryUnit", -1)]:
        for number, unit in net[table].iterrows():
            values = {"kw": sign * unit.p_mw * unit.scaling * 1000, "kvar": sign * unit.q_mvar * unit.scaling * 1000}
            writer.add(f"{table}:{number}", kind, [f"bus:{unit.bus}"], {"Generator": values}, writer.serves(net[table], number))
    for number, unit in net.gen.iterrows():
        values = {"kw": unit.p_mw * unit.scaling * 1000, "voltage_pu": unit.vm_pu}
        writer.add(f"gen:{number}", "GeneratingUnit", [f"bus:{unit.bus}"], {"Generator": values}, writer.serves(net.gen, number))
    for number, shunt in net.shunt.iterrows():
        kv = shunt.vn_kv
        values = {"g_s": shunt.p_mw * shunt.step / kv / kv, "b_s": -shunt.q_mvar * shunt.step / kv / kv}
        writer.add(f"shunt:{number}", "LinearShuntCompensator", [f"bus:{shunt.bus}"], {"Shunt": values}, writer.serves(net.shunt, number))
    for number, grid in net.ext_grid.iterrows():
        values = {"voltage_pu": grid.vm_pu, "angle_deg": grid.va_degree}
        writer.add(f"ext_grid:{number}", "EnergySource", [f"bus:{grid.bus}"], {"Source": values}, writer.serves(net.ext_grid, number))


def plain(item):
    """Turns the numbers of numpy into those of JSON."""
    if isinstance(item, dict):
        return {key: plain(inner) for key, inner in item.items()}
    if isinstance(item, list):
        return [plain(inner) for inner in item]
    if isinstance(item, numpy.bool_):
        return bool(item)
    if isinstance(item, numpy.integer):
        return int(item)
    return float(item) if isinstance(item, numpy.floating) else item


def write(folder, name, net):
    for table in LEFT_OUT:
        if table in net and len(net[table]):
            net[table]["in_service"] = False
    if not net.gen.empty and "slack" in net.gen:
        net.gen["slack"] = False
    start = time.perf_counter()
    pandapower.runpp(net, calculate_voltage_angles=True, tolerance_mva=1e-9, init="auto", trafo_model="t", max_iteration=50, numba=False)
    seconds = time.perf_counter() - start
    writer = Writer(net)
    for part in (lines, transformers, three_windings, switches, injections):
        part(writer)
    buses = {f"bus:{bus}": [row.vm_pu, row.va_degree] for bus, row in net.res_bus.iterrows() if row.vm_pu == row.vm_pu}
    description = {"nodes": writer.nodes, "equipment": writer.equipment}
    # The file name has no character that a shell needs quotes for.
    (folder / f"{name}.json").write_text(json.dumps(plain({
        "description": description, "buses": buses, "currents": writer.currents, "seconds": seconds,
    })))
    print(f"{name}: {len(net.bus)} buses", file=sys.stderr)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    for name, net in networks():
        try:
            write(folder, name, net)
        except (AssertionError, pandapower.LoadflowNotConverged) as error:
            print(f"{name}: left out: {error or type(error).__name__}", file=sys.stderr)


if __name__ == "__main__":
    main()
