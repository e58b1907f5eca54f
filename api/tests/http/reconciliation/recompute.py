"""Recomputes the figures of a month of one substation from raw rows of the database.

It reads one JSON object from standard input (see raw_rows.sql) and writes one with the figures. It shares no code with the product: the rules are those of
docs/reference, written again. Times are microseconds since 1970.
"""

import datetime
import json
import math
import sys
import zoneinfo

MINUTE = 60_000_000
HOUR = 60 * MINUTE
DAY = 24 * HOUR
BLOCK_MINUTES = 15
BLOCK = BLOCK_MINUTES * MINUTE
FEEDER, BREAKER, INCOMER = 1, 3, 4
OPEN, CLOSED = 1, 2
KWH = {"kWh": 1.0, "MWh": 1_000.0}
MW = {"kW": 0.001, "MW": 1.0}

# Longest momentary interruption, and the time in which reclosings belong to one series (IEEE 1366-2012, 3.14 and 3.15).
MOMENTARY = 5 * MINUTE
# Share of its values that a feeder needs in a block, and share of the feeders that a block needs to be a peak.
VALUES_MIN, FEEDERS_MIN = 0.75, 0.95

raw = json.load(sys.stdin)
zone = zoneinfo.ZoneInfo(raw["zone"])


def midnight(day):
    """Returns the instant at which a day begins by the clock of the utility."""
    return int(datetime.datetime.combine(day, datetime.time(), zone).timestamp()) * 1_000_000


def day_of(instant):
    return datetime.datetime.fromtimestamp(instant / 1e6, zone).date()


def utc(instant):
    return datetime.datetime.fromtimestamp(instant // 1_000_000, datetime.timezone.utc).strftime("%Y-%m-%dT%H:%M:%S.000Z")


first = datetime.date(raw["year"], raw["month"], 1)
next_month = (first + datetime.timedelta(days=31)).replace(day=1)
days = [first + datetime.timedelta(days=nth) for nth in range((next_month - first).days)]
start, end = midnight(first), midnight(next_month)
assets = {asset["id"]: asset for asset in raw["assets"]}
here = [asset for asset in raw["assets"] if asset["location"] == raw["location"]]
feeders = [asset for asset in here if asset["type"] == FEEDER]
figures = {}


def points(asset, code):
    return [point for point in raw["points"] if point["asset"] == asset["id"] and point["code"] == code]


def samples(point):
    return sorted(raw["samples"].get(str(point["id"]), []))


# --- Reliability -------------------------------------------------------------------------------------------------------------------------


def losses(feeder):
    """Returns the times without supply of a feeder, from the positions of the breaker in its bay."""
    breakers = [asset for asset in here if asset["type"] == BREAKER and asset["device"] == feeder["device"]]
    changes = sorted(
        (at, value) for breaker in breakers for point in points(breaker, "Pos") for at, value in raw["events"].get(str(point["id"]), [])
    )
    found, opened = [], None
    for at, value in changes:
        if value == OPEN and opened is None:
            opened = at
        elif value == CLOSED and opened is not None:
            found.append((opened, at))
            opened = None
    return found


def interruptions(feeder):
    """Returns the interruptions of a feeder: start, end, and whether it counts. Reclosings before a lockout do not."""
    found = []
    for began, ended in losses(feeder):
        last = found[-1] if found else None
        if last and ended - last["start"] <= MOMENTARY:
            last["end"] = ended
            continue
        if last and began - last["start"] <= MOMENTARY:
            last["counts"] = False
        found.append({"start": began, "end": ended, "counts": True})
    return found


served = sum(feeder["customers"] for feeder in feeders)
customer_interruptions = customer_minutes = momentary_interruptions = minutes_within = 0.0
sustained = momentary = 0
interrupted = set()
for feeder in feeders:
    for outage in interruptions(feeder):
        lasted = outage["end"] - outage["start"]
        is_sustained = lasted > MOMENTARY
        if is_sustained:
            within = min(outage["end"], end) - max(outage["start"], start)
            minutes_within += feeder["customers"] * max(within, 0) / MINUTE
        if not start <= outage["start"] < end or not outage["counts"]:
            continue
        if is_sustained:
            sustained += 1
            customer_interruptions += feeder["customers"]
            customer_minutes += feeder["customers"] * lasted / MINUTE
            interrupted.add(feeder["id"])
        else:
            momentary += 1
            momentary_interruptions += feeder["customers"]
figures["SAIDI"] = customer_minutes / served
figures["SAIFI"] = customer_interruptions / served
figures["CAIDI"] = customer_minutes / customer_interruptions
figures["CAIFI"] = customer_interruptions / sum(assets[feeder]["customers"] for feeder in interrupted)
figures["MAIFI"] = momentary_interruptions / served
figures["ASAI"] = 1 - minutes_within / (served * (end - start) / MINUTE)
figures["sustained outages"] = sustained
figures["momentary outages"] = momentary

# --- Energy ------------------------------------------------------------------------------------------------------------------------------


def counted(readings):
    """Returns what a register counted on each day of the month; None for a day that is not known as a whole."""
    sums, known = [0.0] * len(days), [0] * len(days)
    edges = [midnight(day) for day in days] + [end]
    for (at, value), (then, after) in zip(readings, readings[1:]):
        step = after - value
        if step < 0:
            step += 10 ** len(str(int(value)))
        if then - at > DAY:
            continue
        for nth in range(len(days)):
            shared = min(then, edges[nth + 1]) - max(at, edges[nth])
            if shared > 0:
                sums[nth] += step * shared / (then - at)
                known[nth] += shared
    return [total if covered == edges[nth + 1] - edges[nth] else None for nth, (total, covered) in enumerate(zip(sums, known))]


def net(asset):
    """Returns the net energy of an asset by days, kWh."""
    (imported,), (exported,) = points(asset, "EImp"), points(asset, "EExp")
    both = zip(counted(samples(imported)), counted(samples(exported)))
    return [None if None in (one, back) else one * KWH[imported["unit"]] - back * KWH[exported["unit"]] for one, back in both]


incoming = [net(asset) for asset in here if asset["type"] == INCOMER]
outgoing = [net(asset) for asset in feeders]
# A day counts if all meters are known.
complete = [nth for nth in range(len(days)) if all(meter[nth] is not None for meter in incoming + outgoing)]
figures["energy in"] = sum(meter[nth] for meter in incoming for nth in complete)
figures["energy out"] = sum(meter[nth] for meter in outgoing for nth in complete)
figures["loss"] = figures["energy in"] - figures["energy out"]
figures["loss share"] = 100 * figures["loss"] / figures["energy in"]
figures["days with energy"] = len(complete)

# --- Demand ------------------------------------------------------------------------------------------------------------------------------


def blocks(feeder):
    """Returns the mean power of a feeder in each block that it has values of, MW, and the share of its values."""
    (power,) = points(feeder, "P")
    values = {}
    for at, value in samples(power):
        values.setdefault(at // BLOCK * BLOCK, []).append(value * MW[power["unit"]])
    expected = BLOCK_MINUTES * 60_000 / power["expected_ms"]
    return {begin: (sum(those) / len(those), len(those) / expected) for begin, those in values.items()}


powers = [blocks(feeder) for feeder in feeders]
begins = sorted({begin for power in powers for begin in power if start <= begin < end})
demand = {begin: sum(power[begin][0] for power in powers if begin in power) for begin in begins}
heard = {begin: sum(begin in power and power[begin][1] >= VALUES_MIN for power in powers) for begin in begins}
most = {}
for begin in begins:
    most[day_of(begin)] = max(most.get(day_of(begin), 0), heard[begin])
able = [begin for begin in begins if heard[begin] >= max(math.ceil(FEEDERS_MIN * most[day_of(begin)]), 1)]
peak_at = max(able, key=lambda begin: (demand[begin], -begin))
figures["peak"] = demand[peak_at]
figures["peak at"] = utc(peak_at)
figures["load factor"] = 100 * (sum(demand[begin] for begin in able) / len(able)) / demand[peak_at]

first_feeder = min(feeders, key=lambda feeder: feeder["id"])
of_feeder = [mean for begin, (mean, share) in blocks(first_feeder).items() if start <= begin < end and share >= VALUES_MIN]
figures["peak of a feeder"] = 1_000 * max(of_feeder)

# --- Faults, communication, forecast -----------------------------------------------------------------------------------------------------

figures["faults"] = sum(start <= began < end for began in raw["faults"])

known = online = 0
for gateway in {link[0] for link in raw["links"]}:
    changes = sorted((at, is_online) for of, at, is_online in raw["links"] if of == gateway)
    for nth, (at, is_online) in enumerate(changes):
        until = changes[nth + 1][0] if nth + 1 < len(changes) else math.inf
        lasted = max(min(until, end) - max(at, start), 0)
        known += lasted
        online += lasted if is_online else 0
figures["availability"] = 100 * online / known

(forecast_point,) = [point for point in raw["points"] if point["asset"] == raw["forecast_of"] and point["code"] == "P"]
actual = {}
for at, value in samples(forecast_point):
    actual.setdefault(at // HOUR * HOUR, []).append(value * MW[forecast_point["unit"]])
actual = {hour: 1_000 * sum(values) / len(values) for hour, values in actual.items()}
foreseen = {}
for issued, values in sorted(raw["forecasts"]):
    # The newest forecast that was issued before an hour is valid for it.
    for nth, value in enumerate(values):
        foreseen[issued + nth * HOUR] = value * 1_000
hours = [hour for hour in range(raw["forecast_from"], raw["forecast_to"], HOUR) if hour in actual]
least = max(0.01 * max(abs(actual[hour]) for hour in hours), 1.0)
errors = [100 * abs(actual[hour] - foreseen[hour]) / abs(actual[hour]) for hour in hours if hour in foreseen and abs(actual[hour]) >= least]
figures["MAPE"] = sum(errors) / len(errors)

json.dump(figures, sys.stdout)
