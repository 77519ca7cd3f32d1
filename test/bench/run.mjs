// npm run bench -- [--quick] [NAME …]: measures, prints, and writes docs/benchmarks.md and the README's lines.
import { readdirSync } from 'node:fs'
import { floorLines } from './harness/floors.mjs'
import { load, machine } from './harness/machine.mjs'
import { saveResult } from './harness/results.mjs'
import { table } from './harness/text.mjs'

const SUFFIX = '.bench.mjs'
const folder = new URL('.', import.meta.url)
const all = readdirSync(folder)
  .filter((file) => file.endsWith(SUFFIX))
  .map((file) => file.slice(0, -SUFFIX.length))
const quick = process.argv.includes('--quick')
const asked = process.argv.slice(2).filter((argument) => !argument.startsWith('--'))
const chosen = asked.length === 0 ? all : all.filter((name) => asked.some((start) => name.startsWith(start)))
const unknown = asked.filter((start) => !all.some((name) => name.startsWith(start)))
if (unknown.length > 0) {
  console.error(`No bench begins with ${unknown.join(', ')}. There are ${all.join(', ')}.`)
  process.exit(1)
}

for (const name of chosen) {
  console.log(`\n## ${name} (${machine()}, ${load()})`)
  try {
    await measure(name)
  } catch (error) {
    console.error(error) // the others still run
    process.exitCode = 1
  }
}

async function measure(name) {
  const { bench } = await import(new URL(`${name}${SUFFIX}`, folder))
  const result = await bench({ quick, rounds: quick ? 2 : 5, say: (line) => console.log(`  ${line}`) })
  console.log(`\n${result.title}\n${result.notes.join('\n')}\n\n${table(result.head, result.rows)}\n`)
  for (const line of floorLines(result.floors)) console.log(line)
  if (!quick) saveResult(name, result)
}
