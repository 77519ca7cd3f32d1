// node --import …/watch-turns.mjs SERVER: tells its parent, when asked, how long the turns of the event loop were
// since it was asked last. Milliseconds beyond the watch's own 1 ms.
import { monitorEventLoopDelay } from 'node:perf_hooks'
import { isMainThread } from 'node:worker_threads'

const RESOLUTION_MS = 1

if (isMainThread && process.send) {
  const turns = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  turns.enable()
  const milliseconds = (nanoseconds) => Math.max(0, nanoseconds / 1e6 - RESOLUTION_MS)
  process.on('message', () => {
    process.send({ p99: milliseconds(turns.percentile(99)), longest: milliseconds(turns.max) })
    turns.reset()
  })
  process.channel.unref()
}
