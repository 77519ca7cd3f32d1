import { expect, test } from 'vitest'
import {
  connectionsOfThread,
  descriptorLimit,
  MAX_OPERATORS,
} from '../../../src/service/process/descriptors.js'

/** For files, and for a further thread while it starts. */
const FILES = 64
const A_THREAD = 90

test.each([192, 256, 1024, 65_536])(
  'of %i descriptors all connections, files and threads together fit',
  (limit) => {
    for (const threads of [1, 2]) {
      const each = connectionsOfThread({}, threads, limit)
      expect(each).toBeGreaterThan(0)
      expect(threads * each + FILES + A_THREAD * (threads - 1)).toBeLessThanOrEqual(limit)
    }
    const beside = connectionsOfThread({ ADMIN_PORT: 1 }, 1, limit)
    expect(connectionsOfThread({}, 1, limit) - beside).toBe(MAX_OPERATORS)
  },
)

test('without a limit of the system there is none; threads can take all', () => {
  expect(connectionsOfThread({}, 2, Infinity)).toBe(Infinity)
  expect(connectionsOfThread({}, 8, 160)).toBeLessThan(1)
})

test('a process on Linux knows its limit', () => {
  expect(descriptorLimit()).toBeGreaterThan(process.platform === 'linux' ? 3 : 1e9)
})
