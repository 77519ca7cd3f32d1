import { defineConfig } from 'vitest/config'
import { textFiles } from './test/text-files.js'

export default defineConfig({
  plugins: [textFiles],
  test: {
    globalSetup: 'test/build-state.ts',
    include: ['test/**/*.test.ts'],
    exclude: ['test/heavy/**', 'test/browser/**', 'test/clients/**', 'test/bench/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
