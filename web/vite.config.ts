// Builds the web. During development it forwards REST and the live socket to a running Switchyard.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import type { Plugin } from 'vite';
import { defineConfig } from 'vitest/config';

const server = process.env.SWITCHYARD_DEV_SERVER ?? 'http://127.0.0.1:8080';

/** Preloads the shell. The start script loads it only while it signs in; with a link in the page the browser fetches both at once. */
function preloadShell(): Plugin {
  return {
    name: 'preload-shell',
    transformIndexHtml: {
      order: 'post',
      handler(_html, { bundle }) {
        const chunks = Object.values(bundle ?? {}).filter((part) => part.type === 'chunk');
        const shell = chunks.find(({ facadeModuleId }) => facadeModuleId?.endsWith('/src/app/main.tsx'));
        return [shell?.fileName ?? [], shell?.imports ?? []].flat().map((file) => ({ tag: 'link', attrs: { rel: 'modulepreload', crossorigin: true, href: `/${file}` }, injectTo: 'head' as const }));
      },
    },
  };
}

/** Writes compressed forms beside each text file. The server serves them as they are, so that it compresses nothing at a request. */
function compressed(): Plugin {
  let folder = '';
  return {
    name: 'compressed',
    apply: 'build',
    configResolved: ({ build }) => void (folder = join(build.outDir, build.assetsDir)),
    closeBundle() {
      for (const file of readdirSync(folder).filter((name) => /\.(js|css|svg)$/.test(name))) {
        const text = readFileSync(join(folder, file));
        writeFileSync(join(folder, `${file}.gz`), gzipSync(text, { level: 9 }));
        writeFileSync(join(folder, `${file}.br`), brotliCompressSync(text));
      }
    },
  };
}

/** Chunks of the first load: libraries, code that all screens use, and the screen itself. Few files load faster. */
const groups = [
  { name: 'libraries', test: /node_modules[\\/](react|react-dom|react-router|scheduler|socket\.io|engine\.io|@socket\.io|i18next|valibot|konva)/ },
  { name: 'ground', test: /src[\\/](words|wire|session|live|ui)[\\/]/ },
];

export default defineConfig({
  plugins: [react(), preloadShell(), compressed()],
  build: { target: 'es2022', manifest: true, chunkSizeWarningLimit: 700, rolldownOptions: { output: { codeSplitting: { groups } } } },
  server: { proxy: { '/api': server, '/socket.io': { target: server, ws: true } } },
  test: { include: ['src/**/*.test.ts'] },
});
