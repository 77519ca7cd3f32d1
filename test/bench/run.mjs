// npm run bench -- [NAME …] [--quick | --smoke] [--help]
import { readdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { floorLines } from './harness/floors.mjs'
import { load, machine } from './harness/machine.mjs'
import { saveResult } from './harness/results.mjs'
import { SMOKE } from './harness/smoke.mjs'
import { table } from './harness/text.mjs'

const HELP = `Measures the benches whose names begin with NAME, or all (twenty minutes), and writes docs/benchmarks.md and the README's table.

  npm run bench -- [NAME …]

  --quick   fewer rounds; writes nothing
  --smoke   each bench once on little data, to see that it runs; writes nothing
  --help    this page, and the names`

const { values: flags, positionals: asked } = parseArgs({
  allowPositionals: true,
  options: { quick: { type: 'boolean' }, smoke: { type: 'boolean' }, help: { type: 'boolean' } },
})
const SUFFIX = '.bench.mjs'
const folder = new URL('.', import.meta.url)
/** Counts for the next change of the code: not measured with all, and written nowhere. */
const ONLY_NAMED = ['instructions']
const all = readdirSync(folder)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
if (flags.help) {
  console.log(`${HELP}\n\n${all.join(', ')}`)
  process.exit(0)
}
const quick = SMOKE || flags.quick === true
const chosen =
  asked.length === 0
    ? all.filter((name) => SMOKE || !ONLY_NAMED.includes(name))
    : all.filter((name) => asked.some((start) => name.startsWith(start)))
const unknown = asked.filter((start) => !all.some((name) => name.startsWith(start)))
if (unknown.length > 0) {
  console.error(`No bench begins with ${unknown.join(', ')}. There are ${all.join(', ')}.`)
  process.exit(1)
}

for (const name of chosen) {
  console.log(`\n## ${name} (${machine()}, ${load()})`)
  const started = performance.now()
  try {
    await measure(name)
  } catch (error) {
    console.error(error) // the others still run
    process.exitCode = 1
  }
  console.log(`${name}: ${((performance.now() - started) / 1000).toFixed(1)} s`)
}

async function measure(name) {
  const { bench } = await import(new URL(`${name}${SUFFIX}`, folder))
  const result = await bench({
    quick,
    rounds: SMOKE ? 1 : quick ? 2 : 5,
    say: (line) => console.log(`  ${line}`),
  })
  console.log(`\n${result.title}\n${result.notes.join('\n')}\n\n${table(result.head, result.rows)}\n`)
  if (!SMOKE) for (const line of floorLines(result.floors)) console.log(line)
  if (!quick && !ONLY_NAMED.includes(name)) saveResult(name, result)
}
