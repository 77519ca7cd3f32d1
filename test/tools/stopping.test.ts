import { expect, test } from 'vitest'
// @ts-expect-error a script without types
import { stopOnce } from '../attacks/harness/stopping.mjs'

test.each([false, true])('SIGTERM under load, an unread answer beside: %s', async (unread) => {
  // The margin is half of the drain: where the machine is busy, clients are slow to go elsewhere.
  const { failures } = await stopOnce({
    clients: 16,
    threads: 2,
    drain: 3,
    shutdown: 6,
    unread,
    marginMs: 1500,
  })
  expect(failures).toEqual([])
})
