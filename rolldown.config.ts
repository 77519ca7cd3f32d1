import { join } from 'node:path'
import { defineConfig, type RolldownOptions } from 'rolldown'
import { explorer, licences } from './src/features/explorer/page/bundle/config.js'

/** What Fastify and TensorFlow.js would load for schemas, injected requests and `fetch`: we use none of them. */
const NEVER_ASKED = [
  '@fastify/ajv-compiler',
  '@fastify/fast-json-stringify-compiler',
  'light-my-request',
  'node-fetch',
]

/** Packages that are there where they are wanted, or never are. */
const ELSEWHERE = ['@tensorflow/tfjs-node', 'tokenizers', ...NEVER_ASKED]

/** Packages of which the build copies data into dist: the ranks. */
const COPIED = [join(import.meta.dirname, 'node_modules/js-tiktoken')]

// Bundles the service and the commands with what they import: hundreds of files would be found, read and compiled one
// by one at each start, most of them for little of what they hold.
const service: RolldownOptions = {
  input: {
    index: 'src/index.ts',
    server: 'src/server.ts',
    // A file of its own, which runs before the others that the service imports.
    'early-stop': 'src/service/process/early-stop.ts',
    worker: 'src/service/threads/worker.ts',
    make: 'src/service/threads/make.ts',
    calculate: 'src/service/process/calculate.ts',
    learn: 'src/features/learning/learn.ts',
    'run-thread': 'src/run/run-thread.ts',
    'count-thread': 'src/run/train/count-thread.ts',
    'health-check': 'src/service/process/health-check.ts',
    'rust-process': 'src/first-layer/tokens/rust/rust-process.ts',
    'cli/main': 'src/cli/main.ts',
  },
  platform: 'node',
  transform: { target: 'node20' },
  plugins: [licences(COPIED)],
  external: ELSEWHERE,
  resolve: {
    // Modules before CommonJS: of TensorFlow.js the build for Node is one file, of which nothing can be left out.
    mainFields: ['module', 'main'],
    // The backend without its kernels: the one that runs is our own.
    alias: {
      '@tensorflow/tfjs-backend-cpu': '@tensorflow/tfjs-backend-cpu/dist/base.js',
      'inlet-chat-template': join(import.meta.dirname, 'packages/chat-template/src/index.ts'),
    },
    extensionAlias: { '.js': ['.ts', '.js'] },
  },
  output: {
    dir: 'dist',
    entryFileNames: '[name].js',
    // Beside the entries, not below: src/first-layer/package-file.ts counts on it.
    chunkFileNames: 'chunk-[name].js',
  },
}

export default defineConfig([service, explorer])
