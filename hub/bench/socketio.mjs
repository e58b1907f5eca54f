// The peer of the fan-out benchmark: Node's socket.io with one namespace. It prints `ready PORT PID` and broadcasts N messages for each input line
// `go N`. The ping timeout is longer than the default of 20 s: pongs wait during the broadcast of a backlog, and a slow machine would close sockets.
import { createServer } from 'node:http';
import readline from 'node:readline';
import { Server } from 'socket.io';

const http = createServer();
const io = new Server(http, { transports: ['websocket'], pingTimeout: 120_000 });
const live = io.of('/live');
live.on('connection', (socket) => socket.on('subscribe', (_, answer) => answer?.({ ok: true })));
http.listen(0, '127.0.0.1', () => console.log(`ready ${http.address().port} ${process.pid}`));

const row = { AssetName: 'F3 Old Harbour CB', DISignal: 'Position', EventTime: '2026-11-03T08:32:51.402Z', ChangeTo: 'OPEN', Value: 1, AssetId: 4711, PointId: 9001, LocationId: 6, LocationName: 'Q', ReceivedTime: '', Quality: 0 };
let offset = 0;
readline.createInterface({ input: process.stdin }).on('close', () => process.exit()).on('line', (line) => {
  const count = Number(line.split(' ')[1]);
  for (let sent = 0; sent < count; sent += 1) {
    live.emit('delta', { stream: 'events/location/6', epoch: 'e', from: offset, offset: ++offset, rows: [{ ...row, offset }] });
  }
});
