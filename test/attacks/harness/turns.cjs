// Loaded into the service by NODE_OPTIONS=--require: writes a line for each turn of its event loop that took long, in
// milliseconds of the first thread's processor time, which other work on the machine does not change.
const { appendFileSync, openSync, readSync } = require('node:fs')
const { isMainThread } = require('node:worker_threads')

const LONG_MS = 50
const file = process.env.INLET_TURNS
if (isMainThread && file !== undefined) {
  const stat = openSync(`/proc/self/task/${process.pid}/schedstat`, 'r')
  const text = Buffer.alloc(64)
  const ran = () => Number(text.latin1Slice(0, readSync(stat, text, 0, 64, 0)).split(' ')[0]) / 1e6
  let last = ran()
  setInterval(() => {
    const now = ran()
    if (now - last > LONG_MS) appendFileSync(file, `${(now - last).toFixed(0)}\n`)
    last = now
  }, 1).unref()
}
