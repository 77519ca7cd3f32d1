import { join } from 'node:path'
import { defineConfig } from 'vitest/config'
import { testFiles } from './test/processes.js'
import { textFiles } from './test/text-files.js'

const { alone, together } = testFiles()

export default defineConfig({
  plugins: [textFiles],
  // Packages of this repository as they stand, not as they were built.
  resolve: {
    alias: { 'inlet-chat-template': join(import.meta.dirname, 'packages/chat-template/src/index.ts') },
  },
  test: {
    globalSetup: 'test/build-state.ts',
    setupFiles: 'test/equality.ts',
    // Vitest leaves one processor free by default: of two that is half of them.
    maxWorkers: '100%',
    // No test races a clock: these end one that hangs, on the slowest machine.
    testTimeout: 300_000,
    hookTimeout: 300_000,
    projects: [
      { extends: true, test: { name: 'alone', include: alone } },
      { extends: true, test: { name: 'together', include: together, isolate: false } },
    ],
  },
})
