"""Compares pandapower's load flow of networks with that of their exports: voltages.py FOLDER, after examples/peer_exports.

For each NAME.json it calculates NAME.json and NAME.again.json, and prints the largest difference of a voltage. It fails above 1e-8 per unit or degrees.
"""

import pathlib
import sys
import warnings

import pandapower

warnings.filterwarnings("ignore")
LIMIT = 1e-8


def voltages(file, tolerance_mva):
    net = pandapower.from_json(str(file))
    pandapower.runpp(net, numba=False, tolerance_mva=tolerance_mva)
    return net.res_bus[["vm_pu", "va_degree"]]


def both(file):
    """Returns the voltages of a network and of its export, with the smallest tolerance of the calculation that both reach."""
    for tolerance in (1e-12, 1e-10, 1e-8):
        try:
            return voltages(file, tolerance), voltages(file.with_suffix(".again.json"), tolerance)
        except pandapower.LoadflowNotConverged:
            continue
    raise SystemExit(f"{file.stem}: no load flow")


def main():
    worst = 0.0
    files = [file for file in sorted(pathlib.Path(sys.argv[1]).glob("*.json")) if not file.name.endswith(".again.json")]
    for file in files:
        original, again = both(file)
        again = again.reindex(original.index)
        # A bus that is dead in one must be dead in the other.
        same_dead = (original.isna() == again.isna()).all().all()
        difference = float((original - again).abs().max().max()) if same_dead else float("inf")
        worst = max(worst, difference)
        print(f"{file.stem}: {len(original)} buses, largest difference {difference:.1e}")
    print(f"= largest difference of a voltage in {len(files)} networks, per unit and degrees | {worst:.1e} | <= {LIMIT}")
    sys.exit(worst > LIMIT or not files)


main()
