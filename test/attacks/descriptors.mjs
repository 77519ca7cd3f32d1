import { execFileSync, spawn } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { get as httpGet } from 'node:http'
import { get as httpsGet } from 'node:https'
import { connect } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../bench/harness/service.mjs'
import { table } from '../bench/harness/text.mjs'
import { endWithUs } from './harness/keeper.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { SERVER } from './harness/service.mjs'

const HELP = `More connections that send nothing than the process may have file descriptors, plain and TLS (where they never begin
the handshake), with the default MAX_CONNECTIONS. Needs sh; TLS needs openssl.

  node test/attacks/descriptors.mjs
  INLET_SERVER=/another/build/dist/server.js node test/attacks/descriptors.mjs

What must hold: the process lives, /health/live is 200 while the others are open and after they have gone, and then any
route is.`

const LOOKS = 8
const LOOK_EVERY_MS = 500

const flags = flagsOf(HELP, { limits: '64,256,1024', connections: 1100, threads: 2 })
const folder = mkdtempSync(join(tmpdir(), 'inlet-descriptors-'))
const [cert, key] = [join(folder, 'cert'), join(folder, 'key')]
const req = [
  'req',
  '-x509',
  '-newkey',
  'ec',
  '-pkeyopt',
  'ec_paramgen_curve:P-256',
  '-noenc',
  '-subj',
  '/CN=a',
]
execFileSync('openssl', [...req, '-keyout', key, '-out', cert], { stdio: 'ignore' })

/** The status of an answer, or the code of the error. */
function ask(tls, port, path) {
  return new Promise((resolve) => {
    const get = tls ? httpsGet : httpGet
    const options = { host: '127.0.0.1', port, path, agent: false, rejectUnauthorized: false, timeout: 5000 }
    const call = get(options, (answer) => answer.resume().on('end', () => resolve(answer.statusCode)))
    call.on('timeout', () => call.destroy(new Error('silence')))
    call.on('error', ({ code, message }) => resolve(code ?? message))
  })
}

/** [2, 2, 503] → `2 × 2, 503 × 1` */
function counted(all) {
  return [...new Set(all)].map((each) => `${each} × ${all.filter((one) => one === each).length}`).join(', ')
}

async function attack(limit, tls) {
  const port = await freePort()
  const files = tls ? { TLS_CERT_FILE: cert, TLS_KEY_FILE: key } : {}
  const child = spawn('sh', ['-c', `ulimit -n ${limit}; exec "$0" "$1"`, process.execPath, SERVER], {
    env: {
      PATH: process.env.PATH,
      HOST: '127.0.0.1',
      PORT: String(port),
      THREADS: String(flags.threads),
      ...files,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  endWithUs(child)
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (output += chunk))
  const hasEnded = () => child.exitCode !== null || child.signalCode !== null
  for (let i = 0; i < 100 && !hasEnded() && !output.includes('all threads serve'); i++) await delay(100)
  const sockets = []
  for (let i = 0; i < flags.connections; i++) {
    sockets.push(
      connect(port, '127.0.0.1')
        .on('error', () => {})
        .resume(),
    )
    if (i % 100 === 99) await delay(50)
  }
  const during = []
  for (let look = 0; look < LOOKS; look++) {
    during.push(await ask(tls, port, '/health/live'))
    await delay(LOOK_EVERY_MS)
  }
  const open = sockets.filter((socket) => !socket.destroyed).length
  for (const socket of sockets) socket.destroy()
  await delay(1500)
  const after = [await ask(tls, port, '/health/live'), await ask(tls, port, '/v1/models')]
  const ended = hasEnded() ? `exit ${child.exitCode ?? child.signalCode}` : 'lives'
  child.kill('SIGKILL')
  const lowered = /"connections":(\d+)/.exec(output)?.[1] ?? '–'
  return { name: `${limit}, ${tls ? 'TLS' : 'plain'}`, lowered, open, during, after, ended }
}

const seen = []
for (const limit of flags.limits.split(',')) {
  for (const tls of [false, true]) seen.push(await attack(Number(limit), tls))
}
rmSync(folder, { recursive: true })
const rows = seen.map((each) => [
  ...[each.name, each.lowered, String(each.open), counted(each.during), counted(each.after), each.ended],
])
const head = [
  'descriptors',
  'MAX_CONNECTIONS becomes',
  'stay open',
  'health meanwhile',
  'afterwards',
  'process',
]
console.log(`${SERVER}, ${flags.connections} connections\n\n${table(head, rows)}\n`)
end(
  seen.flatMap(({ name, during, after, ended }) => [
    ...(ended === 'lives' ? [] : [`${name}: ${ended}`]),
    ...([...during, ...after].every((status) => status === 200) ? [] : [`${name}: not every answer is 200`]),
  ]),
)
