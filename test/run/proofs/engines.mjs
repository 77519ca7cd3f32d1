import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import {
  chmodSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { processorSecondsOf } from '../../attacks/harness/process-state.mjs'
import { end, flagsOf } from '../../attacks/harness/script.mjs'
import { startService } from '../../attacks/harness/service.mjs'
import { bytesOf, writeCorpus } from './corpus.mjs'
import { watchTree } from './process-tree.mjs'

const HELP = `The recipes of examples/, run: Ray Data and Spark, over the command and over a service, and datatrove. Each twice:
undisturbed, and with one of its workers killed. All must give the ids of a plain run, by SHA-256. An engine that is not
installed is named and left out.

  python3 -m venv VENV && VENV/bin/pip install "ray[data]" pyspark pyarrow datatrove numpy
  npm run build && node test/run/proofs/engines.mjs --python VENV/bin/python [--engines ray_run,spark_service]`

const ENGINES = {
  // Ray and Spark start workers anew by themselves; datatrove is started again, and goes on.
  ray_run: { needs: ['ray.data'], victim: /^ray::\S*MapBatches\(tokenize\)/ },
  ray_service: { needs: ['ray.data', 'numpy'], victim: /^ray::\S*MapWorker\(MapBatches\(Tokenize\)/ },
  spark_run: { needs: ['pyspark', 'pyarrow'], victim: /CoarseGrainedExecutorBackend/ },
  spark_service: { needs: ['pyspark', 'pyarrow', 'numpy'], victim: /CoarseGrainedExecutorBackend/ },
  datatrove_run: { needs: ['datatrove'], victim: /dist\/cli\/main\.js run/, again: true },
}
const flags = flagsOf(HELP, {
  gigabytes: 0.24,
  shards: 24,
  seed: 1,
  python: 'python3',
  engines: Object.keys(ENGINES).join(','),
  minutes: 8,
})
const path = (file) => fileURLToPath(new URL(`../../../${file}`, import.meta.url))
const MAIN = path('dist/cli/main.js')
const failures = []
const must = (holds, message) => holds || failures.push(message)
const folder = mkdtempSync(join(tmpdir(), 'inlet-engines-'))

/** `inlet` among the commands, the client among Python's modules; Spark with two executors, which are processes. */
function environment() {
  const bin = join(folder, 'bin')
  mkdirSync(bin)
  writeFileSync(join(bin, 'inlet'), `#!/bin/sh\nexec ${process.execPath} ${MAIN} "$@"\n`)
  chmodSync(join(bin, 'inlet'), 0o755)
  return {
    ...process.env,
    PATH: `${bin}:${process.env.PATH}`,
    PYTHONPATH: path('clients/python/src'),
    PYSPARK_PYTHON: flags.python,
    PYSPARK_SUBMIT_ARGS: '--master local-cluster[2,1,1024] pyspark-shell',
    SPARK_LOCAL_IP: '127.0.0.1',
    RAY_USAGE_STATS_ENABLED: '0',
  }
}

const jsonOf = (command, args) =>
  JSON.parse(execFileSync(command, args, { env, stdio: ['ignore', 'pipe', 'ignore'] }))
/** Of all ids, in the order of the documents. */
const mergedHash = (out) => jsonOf(process.execPath, [MAIN, 'merge', out, '--quiet']).sha256
const rowsHash = (out) => jsonOf(flags.python, [path('test/run/proofs/parquet_ids.py'), out]).sha256

/**
 * Starts a command and waits for its end. @param victim what one process of it is killed by, when work is under way
 * @returns its code, seconds, seconds of a core, and what was killed
 */
async function run(command, args, log, { victim, isUnderWay } = {}) {
  const began = performance.now()
  const output = openSync(log, 'a')
  const child = spawn(command, args, { env, stdio: ['ignore', output, output], detached: true })
  let killed
  const ended = watchTree(child.pid, (processes) => {
    const found = processes.filter(({ command }) => victim?.test(command))
    if (killed !== undefined || found.length === 0 || !isUnderWay()) return
    killed = found.at(-1)
    process.kill(killed.pid, 'SIGKILL')
  })
  const late = setTimeout(() => process.kill(-child.pid, 'SIGKILL'), flags.minutes * 60_000)
  const [code] = await once(child, 'exit')
  clearTimeout(late)
  return { code, seconds: (performance.now() - began) / 1000, cores: ended(), killed }
}

const missing = ({ needs }) =>
  needs.filter((name) => spawnSync(flags.python, ['-c', `import ${name}`]).status !== 0)

/** Finished shards of a run; of Parquet: whether the service has been asked. */
const numDone = (out) => (existsSync(join(out, 'shards')) ? readdirSync(join(out, 'shards')).length : 0)

async function tryEngine(name, engine, paths, service, expected) {
  const isService = name.endsWith('_service')
  for (const victim of [undefined, engine.victim]) {
    const out = join(folder, `${name}-${victim ? 'killed' : 'clean'}`)
    const args = [path(`examples/${name}.py`), ...(isService ? [service.url] : []), out, ...paths]
    const log = `${out}.log`
    const before = processorSecondsOf(service.pid)
    const isUnderWay = isService
      ? () => processorSecondsOf(service.pid) - before > 0.3
      : () => numDone(out) >= 2 && numDone(out) < paths.length - 2
    let { code, seconds, cores, killed } = await run(flags.python, args, log, { victim, isUnderWay })
    if (victim) {
      must(killed !== undefined, `${name}: no worker was found to kill`)
      if (engine.again) {
        must(code !== 0, `${name}: a killed step is not told`)
        code = (await run(flags.python, args, log)).code
      }
    }
    must(code === 0, `${name}: ended with ${code}: ${readFileSync(log, 'utf8').slice(-2000)}`)
    if (code !== 0) continue
    const sha256 = isService ? rowsHash(out) : mergedHash(out)
    must(sha256 === expected, `${name}: ids of ${sha256}, a plain run has ${expected}`)
    const said = `${sha256.slice(0, 12)}; ${seconds.toFixed(0)} s`
    const inlet = isService ? processorSecondsOf(service.pid) - before : cores.inlet
    if (victim) console.log(`${name}: ${said}, and one was killed: ${killed?.command.slice(0, 60).trim()}`)
    else console.log(`${name}: ${said}; ${costs(inlet, cores.engine, bytesOf(paths) / 1e6)}`)
    rmSync(out, { recursive: true, force: true })
  }
}

/** What text costs: seconds of a core, of Inlet and of what runs it. */
function costs(inlet, engine, megabytes) {
  const each = `${inlet.toFixed(1)} core seconds of inlet, ${engine.toFixed(1)} of the engine`
  return `${each}; ${(megabytes / inlet).toFixed(1)} and ${(megabytes / (inlet + engine)).toFixed(1)} MB a core second`
}

const env = environment()
const left = []
let service
try {
  const { gigabytes, shards, seed } = flags
  const paths = writeCorpus({ folder: join(folder, 'in'), shards, bytes: gigabytes * 1e9, seed, lines: true })
  const plain = join(folder, 'plain')
  const args = ['run', ...paths, plain, '--document-end', 'endoftext', '--quiet']
  const { code, seconds, cores } = await run(join(folder, 'bin', 'inlet'), args, join(folder, 'plain.log'))
  must(code === 0, `inlet run ended with ${code}`)
  const expected = mergedHash(plain)
  const { id, documents } = jsonOf(process.execPath, [MAIN, 'merge', plain, '--quiet'])
  const megabytes = bytesOf(paths) / 1e6
  console.log(`${shards} shards, ${megabytes.toFixed(0)} MB, ${documents} documents: ${id}`)
  const inlet = cores.inlet + cores.engine // the process itself is not below itself
  console.log(`inlet run: ${expected.slice(0, 12)}; ${seconds.toFixed(0)} s; ${costs(inlet, 0, megabytes)}`)
  service = await startService({ env: { THREADS: '2' } })
  const here = { pid: service.pid, url: `http://127.0.0.1:${service.port}` }
  for (const name of flags.engines.split(',')) {
    const absent = missing(ENGINES[name])
    if (absent.length > 0) left.push(`${name} (no ${absent.join(', ')} in ${flags.python})`)
    else await tryEngine(name, ENGINES[name], paths, here, expected)
  }
} finally {
  await service?.stop?.()
  rmSync(folder, { recursive: true, force: true })
}
if (left.length > 0) console.log(`not tried: ${left.join('; ')}`)
end(failures)
