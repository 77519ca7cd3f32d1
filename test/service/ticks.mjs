import { createHook } from 'node:async_hooks'
import { isMainThread } from 'node:worker_threads'

// Imported by the service before its own modules: SIGUSR2 asks how many objects of `process.nextTick` outlive collections.

const COLLECTIONS = 8
const ticks = []

createHook({
  init(_id, type, _trigger, resource) {
    if (type === 'TickObject') ticks.push(new WeakRef(resource))
  },
}).enable()

if (isMainThread) {
  process.on('SIGUSR2', async () => {
    for (let i = 0; i < COLLECTIONS; i++) {
      globalThis.gc()
      await new Promise((resolve) => setTimeout(resolve, 5)) // a weak reference that was read holds for its turn
    }
    console.error(`ticks alive: ${ticks.filter((tick) => tick.deref() !== undefined).length}`)
  })
}
