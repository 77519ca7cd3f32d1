import { defineConfig } from 'vitest/config'
import { textFiles } from './test/text-files.js'

// The explorer in Chromium; where there is none, the tests say so and are skipped.
export default defineConfig({
  plugins: [textFiles],
  test: {
    globalSetup: ['test/build-state.ts', 'test/browser/chromium-state.ts'],
    include: ['test/browser/**/*.test.ts'],
    // Vitest leaves one processor free by default: of two that is half of them.
    maxWorkers: '100%',
    testTimeout: 120_000,
    hookTimeout: 120_000,
  },
})
