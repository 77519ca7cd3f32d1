import { execFileSync } from 'node:child_process'
import { readFileSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drawing } from '../attacks/harness/random.mjs'
import { flagsOf } from '../attacks/harness/script.mjs'
import { calledFunctions } from './called-functions.mjs'
import { bundle, copyOf } from './checkout.mjs'
import { mutantsOf } from './mutants.mjs'
import { report, shown } from './report.mjs'
import { testFinder } from './tests-of.mjs'
import { VitestRuns } from './vitest-runs.mjs'

const HELP = `Changes the code in one place at a time and runs tests of the changed file: a change that no test notices is a
survivor. Of the tests that import sources those count that call the changed function, by what V8 counts when each runs
once before (kept in build/called.json). The nearest come first: those that mirror the file or import it, and that use
the same words. --first of them, then --built of those that run the built service, then up to --tests in all. It works
on a copy of the committed files, in a temporary folder.

  node test/mutations/run.mjs [--rooms windows,wire,tokens,http,threads,cli] [--sample 300] [--seed 1]
  node test/mutations/run.mjs --only src/first-layer/windows/ --sample 1000
  node test/mutations/run.mjs --only src/wire/formats/npy.ts:31

Exit code 1 where less than --least percent are noticed.`

const root = fileURLToPath(new URL('../../', import.meta.url))
const flags = flagsOf(HELP, {
  rooms: 'windows,wire,tokens,http,threads,cli',
  only: '',
  sample: 300,
  seed: 1,
  first: 6,
  tests: 24,
  built: 2,
  minutes: 60,
  workers: 1,
  least: 85,
})
/** What a test may take besides six times its usual time, and the usual time of one that has not run yet. */
const PATIENCE_MS = 10_000
const UNKNOWN_MS = 3000

const folder = copyOf(root)
const { testsOf, usesBuild } = testFinder(folder)
const everyTest = [...new Set(candidates().map(({ file }) => file))].flatMap(testsOf)
const calls = await calledFunctions(
  folder,
  [...new Set(everyTest)].filter((test) => !usesBuild(test)).sort(),
  join(root, 'build/called.json'),
  flags.workers,
)
const runs = new VitestRuns(folder, flags.workers)
process.prependListener('exit', () => runs.end()) // before its folder goes
for (const signal of ['SIGINT', 'SIGTERM']) process.on(signal, () => process.exit(130))

const end = performance.now() + flags.minutes * 60_000
const chosen = sample(candidates(), flags.sample)
console.log(`${chosen.length} mutations, seed ${flags.seed}`)
/** Test → milliseconds. */
const usual = new Map()
/** Tests that pass without a mutation, and those that do not. */
const sound = new Set()
const unsound = new Set()
const tried = []
/** The file of the mutant before: Vitest has to read it again, too. */
let lastFile = 'src/app.ts'
for (const mutant of chosen) {
  if (performance.now() > end) break
  const began = performance.now()
  const outcome = await outcomeOf(mutant)
  tried.push({ ...mutant, outcome })
  const seconds = ((performance.now() - began) / 1000).toFixed(1).padStart(5)
  console.log(`${outcome.padEnd(8)} ${seconds} s  ${shown(mutant)}`)
}
process.exit(report(tried) >= flags.least ? 0 : 1)

function candidates() {
  const files = execFileSync('git', ['ls-files', 'src'], { cwd: folder, encoding: 'utf8' }).split('\n')
  const inRoom = (room) => (file) =>
    file.startsWith(`src/${room}/`) || file.startsWith(`src/first-layer/${room}/`)
  const rooms = flags.rooms.split(',')
  const missing = rooms.find((room) => !files.some(inRoom(room)))
  if (missing !== undefined)
    throw new Error(`--rooms must name folders of src or src/first-layer: ${missing}`)
  const [only, line] = flags.only.split(':')
  const wanted = (file) => (only === '' ? rooms.some((room) => inRoom(room)(file)) : file.startsWith(only))
  return files
    .filter(
      (file) => file.endsWith('.ts') && !file.startsWith('src/first-layer/kernels/assembly/') && wanted(file),
    )
    .flatMap((file) => mutantsOf(file, readFileSync(join(folder, file), 'utf8')))
    .filter((mutant) => line === undefined || mutant.line === Number(line))
}

/** `count` of them, the same for the same seed. */
function sample(all, count) {
  const { upTo } = drawing(flags.seed)
  const left = [...all]
  const taken = []
  while (taken.length < count && left.length > 0) {
    const at = upTo(left.length)
    taken.push(left[at])
    left[at] = left.at(-1)
    left.pop()
  }
  return taken
}

/** `killed` by a test, `hung`, or `survived`. */
async function outcomeOf({ file, within, text }) {
  const path = join(folder, file)
  const before = readFileSync(path, 'utf8')
  let isBuilt = false
  const restore = () => {
    write(path, before)
    if (isBuilt) bundle(folder)
    isBuilt = false
  }
  try {
    for (const batch of batches(file, within)) {
      for (let tests = batch; tests.length > 0; tests = batch.filter((test) => !unsound.has(test))) {
        write(path, text)
        if (tests.some(usesBuild) && !isBuilt) {
          isBuilt = true
          if (!bundle(folder)) return 'killed'
        }
        const outcome = await runTests(file, tests)
        if (outcome === undefined) {
          restore()
          if (await endsUnchanged(file, tests)) return 'hung'
          continue
        }
        const { failed, errors } = outcome
        if (failed.length === 0 && errors === 0) break
        if (failed.length === 0 || failed.some((test) => sound.has(test))) return 'killed'
        restore()
        if (await isSound(file, failed[0])) return 'killed'
      }
    }
    return 'survived'
  } finally {
    restore()
  }
}

/** The file's time is an old one: the tests would call the build older than its sources. */
function write(path, text) {
  writeFileSync(path, text)
  utimesSync(path, 0, 0)
}

async function runTests(file, tests, limitMs = limitOf(tests)) {
  const changed = [file, lastFile]
  lastFile = file
  const outcome = await runs.run(changed, tests, { bail: 1, limitMs })
  for (const [test, took] of Object.entries(outcome?.took ?? {})) usual.set(test, took)
  return outcome
}

/** Whether tests that did not end with a mutation do so without it; if not, they get more time, or are left out. */
async function endsUnchanged(file, tests) {
  const limitMs = limitOf(tests)
  const began = performance.now()
  const outcome = await runTests(file, tests, 4 * limitMs)
  if (outcome === undefined) {
    for (const test of tests) unsound.add(test)
    console.log(`left out, for they do not end without a mutation: ${tests.join(' ')}`)
  }
  return outcome !== undefined && performance.now() - began < limitMs
}

/** Whether a test that failed with a mutation passes without it. */
async function isSound(file, test) {
  const outcome = await runTests(file, [test])
  if (outcome?.failed.length === 0) sound.add(test)
  else {
    unsound.add(test)
    console.log(`left out, for it fails without a mutation: ${test}`)
  }
  return sound.has(test)
}

function limitOf(tests) {
  return PATIENCE_MS + 6 * tests.reduce((sum, test) => sum + (usual.get(test) ?? UNKNOWN_MS), 0)
}

/** The tests that call a function, the nearest to its file first: most mutations need no more than those of the first batch. */
function batches(file, within) {
  const tests = testsOf(file).filter((test) => !unsound.has(test))
  const ofSources = tests.filter((test) => !usesBuild(test))
  const calling = ofSources.filter((test) => calls(test, file, within) !== false)
  const sources = (calling.length > 0 ? calling : ofSources).slice(0, flags.tests)
  // What no test calls itself runs in the service or the command.
  const built = calling.length > 0 ? flags.built : 3 * flags.built
  return [sources.slice(0, flags.first), tests.filter(usesBuild).slice(0, built), sources.slice(flags.first)]
}
