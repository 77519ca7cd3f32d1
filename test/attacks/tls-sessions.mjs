import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { freePort } from '../bench/harness/service.mjs'
import { table } from '../bench/harness/text.mjs'
import { endWithUs } from './harness/keeper.mjs'
import { end, flagsOf } from './harness/script.mjs'
import { SERVER } from './harness/service.mjs'

const HELP = `A TLS session that began at one port, taken up at the other one: callers' needs a client's certificate, operators'
does not. Both versions of TLS, both directions, before and after the certificates are exchanged. Needs openssl.

  node test/attacks/tls-sessions.mjs
  INLET_SERVER=/another/build/dist/server.js node test/attacks/tls-sessions.mjs

What must hold: without a certificate the callers' port answers nothing, whatever session is shown; no session opens
the other port or outlives its certificate; at its own port a session is taken up.`

const flags = flagsOf(HELP, { threads: 2 })
const folder = mkdtempSync(join(tmpdir(), 'inlet-tls-'))
const file = (name) => join(folder, name)
const openssl = (...args) => execFileSync('openssl', args, { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] })

const KEY = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-noenc']
/** A certificate of its own key: `NAME.cert` and `NAME.key`. */
function make(name) {
  openssl(
    'req',
    '-x509',
    ...KEY,
    '-subj',
    `/CN=${name}`,
    '-days',
    '2',
    '-keyout',
    file(`${name}.key`),
    '-out',
    file(`${name}.cert`),
  )
}
make('authority')
make('one')
make('two')
openssl('req', ...KEY, '-subj', '/CN=client', '-keyout', file('client.key'), '-out', file('client.csr'))
openssl(
  'x509',
  '-req',
  '-in',
  file('client.csr'),
  '-CA',
  file('authority.cert'),
  '-CAkey',
  file('authority.key'),
  '-days',
  '2',
  '-out',
  file('client.cert'),
)
const use = (name) => {
  for (const kind of ['key', 'cert'])
    writeFileSync(file(`server.${kind}`), readFileSync(file(`${name}.${kind}`)))
}
use('one')

const [callers, operators] = [await freePort(), await freePort()]
const child = spawn(process.execPath, [SERVER], {
  env: {
    ...{ PATH: process.env.PATH, HOST: '127.0.0.1', DRAIN_SECONDS: '0', THREADS: String(flags.threads) },
    ...{ PORT: String(callers), ADMIN_PORT: String(operators) },
    ...{ TLS_CERT_FILE: file('server.cert'), TLS_KEY_FILE: file('server.key') },
    TLS_CLIENT_CA_FILE: file('authority.cert'),
  },
  stdio: ['ignore', 'pipe', 'inherit'],
})
endWithUs(child)
let log = ''
child.stdout.on('data', (chunk) => (log += chunk))
const logged = async (text) => {
  while (!log.includes(text)) await delay(50)
}

/** One connection by openssl: the answer's status (`–`: none), and whether the session was taken up. */
async function visit(port, version, { shows, keeps, known }) {
  const args = ['s_client', '-connect', `127.0.0.1:${port}`, `-tls1_${version}`, '-ign_eof']
  if (known) args.push('-cert', file('client.cert'), '-key', file('client.key'))
  if (shows) args.push('-sess_in', file(shows))
  if (keeps) args.push('-sess_out', file(keeps))
  const client = spawn('openssl', args, { stdio: ['pipe', 'pipe', 'ignore'] })
  let text = ''
  client.stdout.on('data', (chunk) => (text += chunk))
  client.stdin.on('error', () => {})
  client.stdin.write('GET /v1/models HTTP/1.1\r\nhost: a\r\nconnection: close\r\n\r\n')
  await Promise.race([once(client, 'close'), delay(5000, undefined, { ref: false })])
  client.kill()
  return { status: /HTTP\/1\.1 (\d+)/.exec(text)?.[1] ?? '–', reused: /^Reused, /m.test(text) }
}

await logged('all threads serve')
const failures = []
const rows = []
async function expectAt(what, version, port, options, must) {
  const seen = await visit(port, version, options)
  const row = [
    `1.${version}`,
    what,
    port === callers ? 'callers’' : 'operators’',
    options.known ? 'shown' : 'none',
  ]
  rows.push([...row, seen.status, seen.reused ? 'taken up' : 'new'])
  for (const [name, value] of Object.entries(must)) {
    if (seen[name] !== value) failures.push(`${row.join(', ')}: ${name} is ${seen[name]}, must be ${value}`)
  }
}

for (const version of [2, 3]) {
  await visit(callers, version, { keeps: `caller${version}`, known: true })
  await visit(operators, version, { keeps: `probe${version}` })
  const at = (what, ...rest) => expectAt(what, version, ...rest)
  await at('no session', callers, {}, { status: '–' })
  await at('the operators’', callers, { shows: `probe${version}` }, { status: '–', reused: false })
  await at(
    'the operators’',
    callers,
    { shows: `probe${version}`, known: true },
    { status: '200', reused: false },
  )
  await at('the callers’', operators, { shows: `caller${version}` }, { status: '200', reused: false })
  await at(
    'the callers’',
    callers,
    { shows: `caller${version}`, known: true },
    { status: '200', reused: true },
  )
  await at('the operators’', operators, { shows: `probe${version}` }, { status: '200', reused: true })
}
use('two')
await logged('the certificate has changed')
await delay(500) // the other threads have it too
for (const version of [2, 3]) {
  const at = (what, ...rest) => expectAt(`${what}, exchanged`, version, ...rest)
  await at('the callers’', callers, { shows: `caller${version}` }, { status: '–', reused: false })
  await at('the operators’', callers, { shows: `probe${version}` }, { status: '–', reused: false })
  await at('the operators’', operators, { shows: `probe${version}` }, { status: '200', reused: false })
  await visit(operators, version, { keeps: `later${version}` })
  await at(
    'a later one of the operators’',
    callers,
    { shows: `later${version}` },
    { status: '–', reused: false },
  )
}
child.kill('SIGKILL')
rmSync(folder, { recursive: true })
console.log(
  `${SERVER}\n\n${table(['TLS', 'session', 'port', 'certificate', 'answer', 'session was'], rows)}\n`,
)
end(failures)
