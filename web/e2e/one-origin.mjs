// One origin for separate api and hub processes, like a reverse proxy: /socket.io goes to the hub, everything else to the api.
import http from 'node:http';
import net from 'node:net';

/** Starts the proxy and returns its server. If a backend is down, the proxy answers 502, like a reverse proxy. */
export function oneOrigin({ api, hub, port }) {
  const target = (url) => (url.startsWith('/socket.io') ? hub : api);
  const server = http.createServer((request, response) => {
    const onward = http.request({ host: '127.0.0.1', port: target(request.url), method: request.method, path: request.url, headers: request.headers }, (answer) => {
      response.writeHead(answer.statusCode, answer.headers);
      answer.pipe(response);
      answer.on('error', () => response.destroy());
    });
    onward.on('error', () => {
      if (response.headersSent) response.destroy();
      else response.writeHead(502).end();
    });
    request.pipe(onward);
  });
  server.on('upgrade', (request, socket, head) => {
    const onward = net.connect(target(request.url), '127.0.0.1', () => {
      const lines = [`${request.method} ${request.url} HTTP/1.1`];
      for (let i = 0; i < request.rawHeaders.length; i += 2) lines.push(`${request.rawHeaders[i]}: ${request.rawHeaders[i + 1]}`);
      onward.write(`${lines.join('\r\n')}\r\n\r\n`);
      onward.write(head);
      socket.pipe(onward).pipe(socket);
    });
    onward.on('error', () => socket.destroy());
    socket.on('error', () => onward.destroy());
  });
  return new Promise((resolve) => server.listen(port, '127.0.0.1', () => resolve(server)));
}
