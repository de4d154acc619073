import { defineConfig } from 'vitest/config';

// The build lands where the server's package carries it. Addresses are absolute, so that one
// index.html serves `/` and `/s/NAME` alike; nothing is inlined, so that a strict CSP holds.
export default defineConfig({
  base: '/',
  build: {
    outDir: '../server/web/static',
    emptyOutDir: true,
    assetsInlineLimit: 0,
    target: 'es2022',
    license: { fileName: 'third-party-licenses.md' },
    chunkSizeWarningLimit: 800,
    // The library changes seldom: browsers keep it when the page is another one.
    rolldownOptions: { checks: { pluginTimings: false }, output: { codeSplitting: { groups: [{ name: 'three', test: /node_modules\/three\// }] } } },
  },
  server: {
    proxy: {
      '/ws': { target: 'ws://127.0.0.1:8080', ws: true },
      '/api': { target: 'http://127.0.0.1:8080' },
    },
  },
  test: {
    include: ['tests/**/*.test.ts'],
    environment: 'node',
  },
});
