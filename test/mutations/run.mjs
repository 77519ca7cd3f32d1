import { execFileSync, spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { drawing } from '../attacks/harness/random.mjs'
import { flagsOf } from '../attacks/harness/script.mjs'
import { mutantsOf } from './mutants.mjs'

const HELP = `Changes the code in one place at a time and runs the tests that import the changed file: a change that no test notices
is a survivor. It works on a copy of the committed files, in a temporary folder.

  node test/mutations/run.mjs [--rooms windows,wire,tokens,http,threads,cli] [--count 100] [--seed 1]
  node test/mutations/run.mjs --file src/windows/windows.ts --count 1000

Exit code 1 where less than --least percent are noticed.`

const LIMIT_MS = 240_000
const root = fileURLToPath(new URL('../../', import.meta.url))
const flags = flagsOf(HELP, {
  rooms: 'windows,wire,tokens,http,threads,cli',
  file: '',
  count: 100,
  seed: 1,
  least: 85,
})

const folder = mkdtempSync(join(tmpdir(), 'inlet-mutations-'))
process.on('exit', () => rmSync(folder, { recursive: true, force: true }))
execFileSync('git', ['clone', '-q', root, folder])
symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'))
for (const built of ['dist', 'build']) {
  if (existsSync(join(root, built))) cpSync(join(root, built), join(folder, built), { recursive: true })
}

const chosen = sample(candidates(), flags.count)
console.log(`${chosen.length} mutations, seed ${flags.seed}`)
const survivors = []
let noticed = 0
for (const mutant of chosen) {
  const outcome = tried(mutant)
  if (outcome === 'survived') survivors.push(mutant)
  else noticed++
  console.log(`${outcome.padEnd(8)} ${mutant.file}:${mutant.line} ${mutant.before} → ${mutant.after}`)
}
const share = (100 * noticed) / chosen.length
console.log(`\n${noticed} of ${chosen.length} noticed: ${share.toFixed(1)} %`)
for (const { file, line, before, after } of survivors) console.log(`  ${file}:${line} ${before} → ${after}`)
process.exit(share >= flags.least ? 0 : 1)

function candidates() {
  const files = execFileSync('git', ['ls-files', 'src'], { cwd: folder, encoding: 'utf8' }).split('\n')
  const rooms = flags.rooms.split(',')
  const wanted = (file) =>
    flags.file === '' ? rooms.some((room) => file.startsWith(`src/${room}/`)) : file === flags.file
  return files
    .filter((file) => file.endsWith('.ts') && wanted(file))
    .flatMap((file) => mutantsOf(file, readFileSync(join(folder, file), 'utf8')))
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

/** `killed` by a test, `hung` (a test's time limit, or ours), or `survived`. */
function tried({ file, text }) {
  const path = join(folder, file)
  const before = readFileSync(path, 'utf8')
  writeFileSync(path, text)
  try {
    // What is built is not built again: the tests of the built service see the code as it was.
    const { status, signal } = spawnSync(
      process.execPath,
      [
        'node_modules/vitest/vitest.mjs',
        'related',
        '--run',
        '--bail',
        '1',
        '--exclude',
        'test/{service,attacks}/**',
        file,
      ],
      { cwd: folder, stdio: 'ignore', timeout: LIMIT_MS, killSignal: 'SIGKILL' },
    )
    if (signal !== null) return 'hung'
    return status === 0 ? 'survived' : 'killed'
  } finally {
    writeFileSync(path, before)
  }
}
