"""A live client by the PyPI package python-socketio with its default options.

Arguments: base URL, token, streams. Prints one JSON line for each thing it hears; leaves when stdin closes.
"""

import json
import sys
import threading

import socketio

base, token, streams = sys.argv[1], sys.argv[2], sys.argv[3:]
client = socketio.Client()
one_at_a_time = threading.Lock()


def say(line: dict) -> None:
    # Whole lines: the library calls from threads of its own.
    with one_at_a_time:
        print(json.dumps(line), flush=True)


@client.on("connect", namespace="/live")
def connected() -> None:
    for stream in streams:
        client.emit("subscribe", {"stream": stream}, namespace="/live", callback=lambda answer, stream=stream: say({"subscribed": stream, "answer": answer}))


@client.on("delta", namespace="/live")
def delta(message: dict) -> None:
    say({"delta": message})


@client.on("ended", namespace="/live")
def ended(message: dict) -> None:
    say({"ended": message})


client.connect(base, namespaces=["/live"], auth={"token": token})
sys.stdin.read()
client.disconnect()
