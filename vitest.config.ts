import { defineConfig } from 'vitest/config'

export default defineConfig({
  test: {
    globalSetup: 'test/build-state.ts',
    include: ['test/**/*.test.ts'],
    exclude: ['test/heavy/**', 'test/clients/**', 'test/bench/**'],
    testTimeout: 60_000,
    hookTimeout: 120_000,
  },
})
