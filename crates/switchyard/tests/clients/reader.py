"""A live client by the PyPI package python-socketio with its default options.

Arguments: base URL, token, streams. Prints one JSON line for each thing it hears; leaves when stdin closes. The library runs each handler in a thread
of its own: lines may come in another order than the messages, whose places tell the right one.
"""

import json
import sys
import threading

import socketio

base, token, streams = sys.argv[1], sys.argv[2], sys.argv[3:]
client = socketio.Client()
one_at_a_time = threading.Lock()


def say(line: dict) -> None:
    # One write per line, because the library calls from its own threads.
    with one_at_a_time:
        print(json.dumps(line), flush=True)


def subscribe(stream: str) -> None:
    def answered(answer: dict) -> None:
        if answer["ok"]:
            say({"subscribed": stream, "answer": answer})
        else:
            # A hub that has not loaded a new substation yet refuses the subscription, so it is repeated.
            threading.Timer(0.25, subscribe, [stream]).start()

    client.emit("subscribe", {"stream": stream}, namespace="/live", callback=answered)


@client.on("connect", namespace="/live")
def connected() -> None:
    for stream in streams:
        subscribe(stream)


@client.on("delta", namespace="/live")
def delta(message: dict) -> None:
    say({"delta": message})


@client.on("ended", namespace="/live")
def ended(message: dict) -> None:
    say({"ended": message})


client.connect(base, namespaces=["/live"], auth={"token": token})
sys.stdin.read()
client.disconnect()
