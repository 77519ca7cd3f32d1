import { defineConfig } from 'vitest/config'
import { textFiles } from './test/text-files.js'

export default defineConfig({
  plugins: [textFiles],
  test: {
    globalSetup: 'test/build-state.ts',
    include: ['test/**/*.test.ts'],
    exclude: ['test/heavy/**', 'test/browser/**', 'test/clients/**'],
    // Vitest leaves one processor free by default: of two that is half of them.
    maxWorkers: '100%',
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
