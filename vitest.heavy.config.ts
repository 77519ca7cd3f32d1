import { defineConfig } from 'vitest/config'

// What is too large for every change: gigabyte streams, GPT-3's tables, hundreds of thousands of random strings.
export default defineConfig({
  test: {
    globalSetup: 'test/build-state.ts',
    setupFiles: 'test/equality.ts',
    include: ['test/heavy/**/*.test.ts'],
    testTimeout: 3_600_000,
    hookTimeout: 3_600_000,
    fileParallelism: false,
  },
})
