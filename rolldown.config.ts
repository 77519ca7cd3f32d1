import { defineConfig } from 'rolldown'

// Bundles the service and the commands with what they import: hundreds of files would be found, read and compiled one
// by one at each start, most of them for little of what they hold.
export default defineConfig({
  input: {
    server: 'src/server.ts',
    worker: 'src/threads/worker.ts',
    draw: 'src/threads/draw.ts',
    'cli/main': 'src/cli/main.ts',
    'cli/demo': 'src/cli/demo.ts',
  },
  platform: 'node',
  external: ['@tensorflow/tfjs-node'],
  // Modules before CommonJS: of TensorFlow.js the build for Node is one file, of which nothing can be left out.
  resolve: { mainFields: ['module', 'main'], extensionAlias: { '.js': ['.ts', '.js'] } },
  output: {
    dir: 'dist',
    entryFileNames: '[name].js',
    // Beside the entries, not below: src/package-file.ts counts on it.
    chunkFileNames: 'chunk-[name].js',
  },
})
