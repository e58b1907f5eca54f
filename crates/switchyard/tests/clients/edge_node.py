"""A Sparkplug edge node by the PyPI package pysparkplug, unmodified: birth, then COUNT data messages of one device.

Arguments: broker host, port, group, edge node, count. Prints one JSON line for each value it sent, then {"done": true}; leaves when stdin closes.
"""

import json
import sys
import threading
import time

import pysparkplug as psp

host, port, group, node, count = sys.argv[1], int(sys.argv[2]), sys.argv[3], sys.argv[4], int(sys.argv[5])
at = int(time.time() * 1000) - 60_000
one_at_a_time = threading.Lock()


def say(line: dict) -> None:
    # One write per line, because the library calls from its own threads.
    with one_at_a_time:
        print(json.dumps(line), flush=True)


def metrics(tap: int, celsius: float) -> tuple:
    say({"device": "TX1", "metric": "TX1/Tap", "at": at, "value": tap})
    say({"device": "TX1", "metric": "TX1/OTI", "at": at, "value": celsius})
    return (
        psp.Metric(timestamp=at, name="TX1/Tap", datatype=psp.DataType.INT32, value=tap),
        psp.Metric(timestamp=at, name="TX1/OTI", datatype=psp.DataType.DOUBLE, value=celsius),
    )


born = threading.Event()


class Client(psp.Client):
    """Reports when the births are sent: what is published before is lost."""

    def connect(self, host: str, *, callback, **options) -> None:
        def send_births(client: psp.Client) -> None:
            callback(client)
            born.set()

        super().connect(host, callback=send_births, **options)


firmware = psp.Metric(timestamp=at, name="Firmware", datatype=psp.DataType.STRING, value="1.0")
edge = psp.EdgeNode(group, node, (firmware,), client=Client())
edge.register(psp.Device("TX1", metrics(8, 40.0)))
edge.connect(host, port=port)
born.wait()
for step in range(1, count + 1):
    at += 250
    edge.update_device("TX1", metrics(8 + step % 3, 40.0 + step / 4))
    time.sleep(0.02)
say({"done": True})
sys.stdin.read()
edge.disconnect()
