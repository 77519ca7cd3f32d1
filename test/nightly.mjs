// npm run nightly -- [--only NAME,…] [--list] [--help]
import { spawn, spawnSync } from 'node:child_process'
import { closeSync, existsSync, mkdirSync, openSync, readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'

const HELP = `Runs what is too slow, or needs too much, for every change: attacks, clients of others, proofs, heavy tests,
random inputs, the explorer in Chromium and the service on TensorFlow. A line each: pass, FAIL, or skip with the reason; its output is in build/nightly.

  npm run nightly -- [--only NAME,…] [--list] [--help]

--only takes names, or how they begin: attacks, clients/oip; --list prints them. A part that ends with 2 is skipped:
its last line says why. Exit code 1 where a part fails.`

/** Paths of parts, and the sign of one: it can be run by hand. */
const PLACES =
  /^test\/(attacks\/[\w-]+\.mjs|clients\/([\w-]+\.sh|\w+\/run\.sh)|(?:features\/)?\w+\/proofs\/(?!run-python)[\w-]+\.mjs|docker\/compose\.sh)$/
const IS_RUN = /^#!|\bflagsOf\(|\bparseArgs\(|^await runPython\(|^\/\/ .*node test\//m
/** The service on TensorFlow, where that can be had: the builder's last line says why not. */
const TENSORFLOW = `docker/build-tfjs-node.sh --cache build/wheels || exit 2
TF_BACKEND=tensorflow npx vitest run test/first-layer/embeddings/backends test/service/http \
  test/features/{chat,embeddings,input-embeddings,models,neighbors,open-inference,positions,prompt-embeds,tokenize}/ \
  test/features/datasets/http test/features/learning/http`
const MOST_HOURS = 2
const NEEDS = { python3: /venv|\bpython3? |runPython/, go: /\bgo (build|get|test)\b/, openssl: /openssl/ }
const CHROMIUM = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-headless-shell']

const options = { only: { type: 'string' }, list: { type: 'boolean' }, help: { type: 'boolean' } }
const { values: flags } = parseArgs({ options })
process.chdir(new URL('..', import.meta.url).pathname)
const vitest = (config) => ['npx', 'vitest', 'run', '--config', `vitest.${config}.config.ts`]
const files = spawnSync('git', ['ls-files', 'test'], { encoding: 'utf8' }).stdout.split('\n')
const scripts = files.filter((file) => PLACES.test(file) && IS_RUN.test(readFileSync(file, 'utf8')))
/** Tests of random inputs, and of long rows of them, which try few for every change. */
const random = files.filter(
  (file) => file.endsWith('.test.ts') && readFileSync(file, 'utf8').includes("/property.js'"),
)
const eitherNumber = ['stopping', 'log', 'process'].map((name) => `test/service/${name}.test.ts`)
const all = [
  ['heavy', vitest('heavy')],
  ['browser', vitest('browser')],
  ['random', ['env', 'FAST_CHECK_TIMES=5', 'npx', 'vitest', 'run', ...random]],
  ['one-thread', ['env', 'TEST_THREADS=1', 'npx', 'vitest', 'run', ...eitherNumber]],
  ...scripts.map((file) => [nameOf(file), [file.endsWith('.sh') ? 'bash' : process.execPath, file]]),
  ['house/without', [process.execPath, 'test/house/without.mjs', '--all']],
  ['tensorflow', ['bash', '-c', TENSORFLOW]], // the last: what it installs changes no other part
]
const asked = flags.only?.split(',') ?? ['']
const chosen = all.filter(([name]) => asked.some((start) => name.startsWith(start)))
if (flags.help || flags.list || chosen.length === 0) {
  console.log(flags.help ? HELP : all.map(([name]) => name).join('\n'))
  process.exit(chosen.length === 0 ? 1 : 0)
}

mkdirSync('build/nightly', { recursive: true })
let failed = 0
for (const [name, command] of chosen) {
  const began = performance.now()
  const log = `build/nightly/${name.replaceAll('/', '-')}.log`
  const lack = lackOf(name, command.at(-1))
  const code = lack === undefined ? await run(log, command) : 2
  const said = lack ?? readFileSync(log, 'utf8').trim().split('\n').at(-1)
  const took = `${Math.round((performance.now() - began) / 1000)} s`
  if (code === 0) console.log(`pass  ${name}  ${took}`)
  else if (code === 2) console.log(`skip  ${name}: ${said}`)
  else console.log(`FAIL  ${name}  ${took}  ${log}: ${said}`)
  if (code !== 0 && code !== 2) failed++
}
process.exit(failed > 0 ? 1 : 0)

/** `clients/oip`, `learning/kills`; `attacks` are those of its run.mjs. */
function nameOf(file) {
  return file
    .slice(5)
    .replace('/proofs/', '/')
    .replace('features/', '')
    .replace(/(\/run)?\.(mjs|sh)$/, '')
}

function lackOf(name, file) {
  if (name === 'browser' && !CHROMIUM.some((path) => path && existsSync(path)))
    return 'no Chromium here: CHROMIUM names it'
  const text = existsSync(file) ? readFileSync(file, 'utf8') : ''
  const lack = Object.keys(NEEDS).find((tool) => NEEDS[tool].test(text) && spawnSync(tool, ['--help']).error)
  return lack && `no ${lack} here`
}

/** @returns its exit code; 1 where it was ended for it took too long */
async function run(log, [command, ...args]) {
  const output = openSync(log, 'w')
  const child = spawn(command, args, { stdio: ['ignore', output, output], timeout: MOST_HOURS * 3_600_000 })
  const code = await new Promise((resolve) => child.on('close', resolve))
  closeSync(output)
  return code ?? 1
}
