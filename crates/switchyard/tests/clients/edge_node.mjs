// A Sparkplug edge node with the npm package sparkplug-client, used as its readme describes: a birth, then COUNT data messages of one device.
// Arguments: MQTT URL, group, edge node, count. Prints one JSON line per sent value, then {"done":true}.
import sparkplug from 'sparkplug-client';

const [serverUrl, groupId, edgeNode, count] = process.argv.slice(2);
const client = sparkplug.newClient({ serverUrl, username: '', password: '', groupId, edgeNode, clientId: `npm-${edgeNode}`, version: 'spBv1.0', publishDeath: true, keepalive: 5 });
const say = (line) => process.stdout.write(`${JSON.stringify(line)}\n`);
let at = Date.now() - 60_000;
let sent = 0;
let born = false;

const metrics = (position, amperes) => [
  { name: 'F1CB/Pos', value: position, type: 'Int32', timestamp: at },
  { name: 'F1/Ir', value: amperes, type: 'Float', timestamp: at },
];
const note = (position, amperes) => {
  say({ device: 'F1', metric: 'F1CB/Pos', at, value: position });
  say({ device: 'F1', metric: 'F1/Ir', at, value: amperes });
};

client.on('error', (error) => say({ error: String(error) }));
client.on('birth', () => {
  // A requested rebirth does not start a second series.
  if (born) return;
  born = true;
  client.publishNodeBirth({ timestamp: at, metrics: [{ name: 'Node Control/Rebirth', value: false, type: 'Boolean' }] });
  client.publishDeviceBirth('F1', { timestamp: at, metrics: metrics(2, 0.5) });
  note(2, 0.5);
  const timer = setInterval(() => {
    sent += 1;
    at += 250;
    const position = sent % 5 === 0 ? 1 : 2;
    const amperes = sent + 0.5;
    client.publishDeviceData('F1', { timestamp: at, metrics: metrics(position, amperes) });
    note(position, amperes);
    if (sent === Number(count)) {
      clearInterval(timer);
      say({ done: true });
    }
  }, 20);
});
process.stdin.on('end', () => {
  client.stop();
  setTimeout(() => process.exit(0), 500);
});
process.stdin.resume();
