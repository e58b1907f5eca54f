"""Writes networks with the load flow by phase that pandapower finds for them, for the program examples/peer_flows.rs.

    phase_flows.py FOLDER

For each network it writes NAME.json with the network as a description, and for each phase the voltage of each bus (per unit and degrees) and the current at
each terminal of lines and transformers (kA). pandapower holds the voltage of a source in the positive sequence only. The sources here have so much power
that it is held in all.
"""

import json
import math
import pathlib
import sys
import time
import warnings

import pandapower
import pandapower.networks

from flows import core, plain, series

warnings.filterwarnings("ignore")

PHASES = "abc"


def zero_sequence(trafo):
    """Returns the impedance of the zero sequence from the low-voltage end, as pandapower's model has it, ohms at the high voltage."""
    kv, mva = trafo.vn_hv_kv, trafo.sn_mva
    z, r = trafo.vk0_percent / 100 * kv * kv / mva, trafo.vkr0_percent / 100 * kv * kv / mva
    whole = complex(r, math.sqrt(z * z - r * r))
    core_x = z * trafo.mag0_percent / math.sqrt(trafo.mag0_rx**2 + 1)
    magnetising = complex(core_x * trafo.mag0_rx, core_x)
    high, low = trafo.si0_hv_partial * whole, (1 - trafo.si0_hv_partial) * whole
    star = high * low + low * magnetising + high * magnetising
    return 1 / (magnetising / star + high / star)


def small_network():
    """Four buses: a transformer Dyn1, an unbalanced feeder with charging, loads in star and delta."""
    net = pandapower.create_empty_network(sn_mva=1)
    buses = [pandapower.create_bus(net, kv) for kv in (11, 0.4, 0.4, 0.4)]
    pandapower.create_ext_grid(net, buses[0], vm_pu=1.02, s_sc_max_mva=100, rx_max=0.1, r0x0_max=0.1, x0x_max=1.0)
    pandapower.create_transformer_from_parameters(
        net, buses[0], buses[1], sn_mva=0.25, vn_hv_kv=11, vn_lv_kv=0.42, vk_percent=4.5, vkr_percent=1.1, pfe_kw=0.5, i0_percent=0.3, shift_degree=30,
        vector_group="Dyn", vk0_percent=4.0, vkr0_percent=1.0, mag0_percent=100, mag0_rx=0.1, si0_hv_partial=0.9, tap_side="hv", tap_neutral=0,
        tap_min=-2, tap_max=2, tap_step_percent=2.5, tap_step_degree=0, tap_pos=1, tap_changer_type="Ratio")
    for start, end in ((1, 2), (2, 3)):
        pandapower.create_line_from_parameters(
            net, buses[start], buses[end], length_km=0.3, r_ohm_per_km=0.32, x_ohm_per_km=0.08, c_nf_per_km=300, max_i_ka=0.2, r0_ohm_per_km=1.2,
            x0_ohm_per_km=0.3, c0_nf_per_km=150)
    kinds = [(2, "wye", (0.012, 0.003, 0.02, 0.006, 0.005, 0.001)), (3, "wye", (0.004, 0.001, 0.0, 0.0, 0.015, 0.005)),
             (3, "delta", (0.006, 0.002, 0.009, 0.003, 0.001, 0.0))]
    for bus, kind, values in kinds:
        names = [f"{part}_{phase}_{unit}" for phase in PHASES for part, unit in (("p", "mw"), ("q", "mvar"))]
        pandapower.create_asymmetric_load(net, buses[bus], type=kind, **dict(zip(names, values)))
    return net


def write(folder, name, net):
    net.ext_grid["s_sc_max_mva"] = 1e9
    start = time.perf_counter()
    pandapower.runpp_3ph(net, calculate_voltage_angles=True, tolerance_mva=1e-10, trafo_model="t", max_iteration=200, numba=False)
    seconds = time.perf_counter() - start
    nodes = [{"id": f"bus:{bus}", "nominal_kv": kv} for bus, kv in net.bus.vn_kv.items()]
    equipment, currents = [], []

    def add(id, kind, buses, values):
        equipment.append({"id": id, "kind": kind, "terminals": [{"node": f"bus:{bus}"} for bus in buses], "electrical": values})

    for number, grid in net.ext_grid.iterrows():
        add(f"ext_grid:{number}", "EnergySource", [grid.bus], {"Source": {"voltage_pu": grid.vm_pu, "angle_deg": grid.va_degree}})
    for number, line in net.line.iterrows():
        length, omega = line.length_km, 2e-9 * math.pi * net.f_hz
        impedance = {"r_ohm": line.r_ohm_per_km * length, "x_ohm": line.x_ohm_per_km * length, "r0_ohm": line.r0_ohm_per_km * length,
                     "x0_ohm": line.x0_ohm_per_km * length}
        values = {"series": impedance, "b_s": omega * line.c_nf_per_km * length, "b0_s": omega * line.c0_nf_per_km * length}
        add(f"line:{number}", "ACLineSegment", [line.from_bus, line.to_bus], {"Line": values})
        for terminal, side in enumerate(("from", "to"), 1):
            currents += [[f"line:{number}", terminal, phase.upper(), net.res_line_3ph[f"i_{phase}_{side}_ka"].at[number]] for phase in PHASES]
    for number, trafo in net.trafo.iterrows():
        zero = zero_sequence(trafo)
        tap = {"step": int(trafo.tap_pos), "neutral": int(trafo.tap_neutral), "low": int(trafo.tap_min), "high": int(trafo.tap_max),
               "step_percent": trafo.tap_step_percent}
        high = {"rated_kv": trafo.vn_hv_kv, "connection": "D", "tap": tap,
                "series": {**series(trafo.vk_percent, trafo.vkr_percent, trafo.vn_hv_kv, trafo.sn_mva, 1), "r0_ohm": zero.real, "x0_ohm": zero.imag},
                **core(trafo.i0_percent, trafo.pfe_kw, trafo.vn_hv_kv, trafo.sn_mva, 1)}
        low = {"rated_kv": trafo.vn_lv_kv, "connection": "Yn", "clock": round(trafo.shift_degree / 30)}
        add(f"trafo:{number}", "PowerTransformer", [trafo.hv_bus, trafo.lv_bus], {"Transformer": {"ends": [high, low]}})
        # pandapower turns the negative sequence in the direction of the positive one: a load of one phase behind delta and star draws 2/3, 1/3 and 1/3
        # of its current from the delta, not equal currents from two phases. The currents of the delta are left out.
        currents += [[f"trafo:{number}", 2, phase.upper(), net.res_trafo_3ph[f"i_{phase}_lv_ka"].at[number]] for phase in PHASES]
    for number, load in net.asymmetric_load.iterrows():
        shares = [[load[f"p_{phase}_mw"] * 1000 * load.scaling, load[f"q_{phase}_mvar"] * 1000 * load.scaling] for phase in PHASES]
        values = {"kw": sum(share[0] for share in shares), "kvar": sum(share[1] for share in shares), "by_phase": shares,
                  "is_delta": load.type == "delta"}
        add(f"asymmetric_load:{number}", "EnergyConsumer", [load.bus], {"Consumer": values})
    buses = {f"bus:{bus}": [[row[f"vm_{phase}_pu"], row[f"va_{phase}_degree"]] for phase in PHASES] for bus, row in net.res_bus_3ph.iterrows()}
    (folder / f"{name}.json").write_text(json.dumps(plain({
        "description": {"nodes": nodes, "equipment": equipment}, "phase_buses": buses, "phase_currents": currents, "seconds": seconds,
    })))
    print(f"{name}: {len(net.bus)} buses", file=sys.stderr)


def main():
    folder = pathlib.Path(sys.argv[1])
    folder.mkdir(parents=True, exist_ok=True)
    write(folder, "phases_small", small_network())
    for time_of_day in ("off_peak_1", "on_peak_566"):
        write(folder, f"phases_ieee_european_lv_{time_of_day}", pandapower.networks.ieee_european_lv_asymmetric(time_of_day))


main()
