// A live client by the npm package socket.io-client with its default options (polling first, then upgrade).
// Arguments: base URL, token, streams… Prints one JSON line for each answer and message.
import { io } from 'socket.io-client';

const [base, token, ...streams] = process.argv.slice(2);
const socket = io(`${base}/live`, { auth: { token } });
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);

// A hub that has not loaded a new substation yet refuses the subscription, so it is repeated.
const subscribe = (stream) =>
  socket.emit('subscribe', { stream }, (answer) => {
    if (answer.ok) say({ subscribed: stream, answer });
    else setTimeout(() => subscribe(stream), 250);
  });

socket.on('connect', () => {
  socket.io.engine.once('upgrade', () => say({ upgraded: socket.io.engine.transport.name }));
  streams.forEach(subscribe);
});
socket.on('delta', (delta) => say({ delta }));
socket.on('ended', (ended) => say({ ended }));
socket.on('disconnect', (reason) => say({ disconnected: reason }));
socket.on('connect_error', (error) => say({ refused: error.message }));
process.stdin.on('end', () => {
  socket.close();
  process.exit(0);
});
process.stdin.resume();
