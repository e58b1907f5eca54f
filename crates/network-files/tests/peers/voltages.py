"""Compares pandapower's load flow of networks with that of their exports: voltages.py FOLDER, after examples/peer_exports.

For each NAME.json it calculates NAME.json and NAME.again.json, and prints the largest difference of a voltage. It fails above 1e-8 per unit or degrees.
"""

import pathlib
import sys
import warnings

import pandapower

warnings.filterwarnings("ignore")
LIMIT = 1e-8


def voltages(file):
    net = pandapower.from_json(str(file))
    pandapower.runpp(net, numba=False)
    return net.res_bus[["vm_pu", "va_degree"]]


def main():
    worst = 0.0
    files = [file for file in sorted(pathlib.Path(sys.argv[1]).glob("*.json")) if not file.name.endswith(".again.json")]
    for file in files:
        original = voltages(file)
        again = voltages(file.with_suffix(".again.json")).reindex(original.index)
        # A bus that is dead in one must be dead in the other.
        same_dead = (original.isna() == again.isna()).all().all()
        difference = float((original - again).abs().max().max()) if same_dead else float("inf")
        worst = max(worst, difference)
        print(f"{file.stem}: {len(original)} buses, largest difference {difference:.1e}")
    print(f"= largest difference of a voltage in {len(files)} networks, per unit and degrees | {worst:.1e} | <= {LIMIT}")
    sys.exit(worst > LIMIT or not files)


main()
