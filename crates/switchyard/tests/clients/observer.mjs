// A live client that resumes as the API describes: it keeps the offset of each stream, resumes after an interruption, and starts again with a
// snapshot if the hub sends one.
// Arguments: base URL, token, streams… For each line `report` on stdin it prints one JSON line with its current state.
import readline from 'node:readline';
import { io } from 'socket.io-client';

const [base, token, ...streams] = process.argv.slice(2);
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
const places = new Map();
const points = new Map();
const events = new Map();
const faults = [];
let worst = null;
let beats = 0;
let cuts = 0;

const socket = io(`${base}/live`, { auth: { token }, reconnectionDelay: 200, reconnectionDelayMax: 1000 });

function take({ points: values, rows }) {
  for (const [id, value, quality] of values ?? []) {
    points.set(id, [value, quality]);
    worst = Math.max(worst ?? 0, quality);
  }
  for (const row of rows ?? []) {
    if (row.offset !== undefined) events.set(row.offset, (events.get(row.offset) ?? 0) + 1);
  }
}

function subscribe(stream) {
  socket.emit('subscribe', { stream, since: places.get(stream) }, (answer) => {
    if (!answer.ok) {
      if (answer.code === 'unavailable') setTimeout(() => subscribe(stream), 500);
      else faults.push(answer);
      return;
    }
    places.set(stream, { epoch: answer.epoch, offset: answer.offset });
    if (answer.missed) take({ rows: answer.missed });
    // Later snapshots of events repeat known rows; only new rows count.
    else take({ points: answer.snapshot.points, rows: (answer.snapshot.rows ?? []).filter((row) => !events.has(row.offset)) });
  });
}

socket.on('connect', () => streams.forEach(subscribe));
socket.on('disconnect', () => (cuts += 1));
socket.on('heartbeat', () => (beats += 1));
socket.on('delta', (delta) => {
  const place = places.get(delta.stream);
  if (!place || delta.offset <= place.offset) {
    if (place && delta.rows && delta.epoch === place.epoch) faults.push({ repeated: delta.stream, offset: delta.offset });
    return;
  }
  if (delta.epoch !== place.epoch || delta.from !== place.offset) return subscribe(delta.stream);
  place.offset = delta.offset;
  take({ points: delta.changes, rows: delta.rows });
});

readline.createInterface({ input: process.stdin }).on('line', (line) => {
  if (line !== 'report') return;
  const doubled = [...events].filter(([, count]) => count > 1).map(([offset]) => offset);
  say({ connected: socket.connected, beats, cuts, worst, faults, doubled, events: [...events.keys()], points: [...points].map(([id, [value, quality]]) => [id, value, quality]) });
  beats = 0;
  worst = null;
}).on('close', () => {
  socket.close();
  process.exit(0);
});
