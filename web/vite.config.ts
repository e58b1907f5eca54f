// Builds the web, and while developing passes REST and the live socket on to a running Switchyard.
import react from '@vitejs/plugin-react';
import { defineConfig } from 'vitest/config';

const server = process.env.SWITCHYARD_DEV_SERVER ?? 'http://127.0.0.1:8080';

export default defineConfig({
  plugins: [react()],
  build: { target: 'es2022', manifest: true, chunkSizeWarningLimit: 700 },
  server: { proxy: { '/api': server, '/socket.io': { target: server, ws: true } } },
  test: { environment: 'jsdom', include: ['src/**/*.test.ts'] },
});
