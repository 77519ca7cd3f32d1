import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { parentPort, workerData } from 'node:worker_threads'
import { spread } from './figures.mjs'
import { memoryOf } from './process-state.mjs'

// Looks at the service from outside, in a separate thread: what the attack costs its sender delays no look.
// A new connection each time, as an orchestrator's probe; and the resident memory, whose cap it holds.

const { pid, port, capBytes, everyMs, patienceMs } = workerData
const REQUEST = 'GET /health/live HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n'
let latencies = []
let failed = 0
let outstanding = 0
let rssPeak = 0
let capped = false
let opened = 0

function look() {
  const memory = memoryOf(pid)
  if (memory !== undefined) {
    rssPeak = Math.max(rssPeak, memory.rss)
    if (memory.rss > capBytes && !capped) {
      capped = true
      process.kill(pid, 'SIGKILL')
    }
  }
  ask()
}

function ask() {
  const started = performance.now()
  opened = (opened + 1) % 200
  const socket = connect({ port, host: '127.0.0.1', localAddress: `127.0.2.${opened + 1}` })
  outstanding++
  let answered = false
  socket.setTimeout(patienceMs, () => socket.destroy())
  socket.on('connect', () => socket.write(REQUEST))
  socket.on('data', (bytes) => {
    if (answered) return
    answered = bytes.toString('latin1').startsWith('HTTP/1.1 200')
    socket.resetAndDestroy()
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    outstanding--
    if (!answered) failed++
    latencies.push(performance.now() - started)
  })
}

const timer = setInterval(look, everyMs)
look()

parentPort.on('message', (word) => {
  if (word === 'stop') clearInterval(timer)
  const finish = () => {
    if (word === 'stop' && outstanding > 0) return setTimeout(finish, 5)
    parentPort.postMessage({ live: { ...spread(latencies), failed }, rssPeak, capped })
    if (word === 'stop') return parentPort.close()
    latencies = []
    failed = rssPeak = 0
  }
  finish()
})
