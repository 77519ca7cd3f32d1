import { DECIDING, decidingRow } from './deciding.mjs'
import { table } from './text.mjs'

const [OPEN, CLOSE] = ['<!-- bench -->', '<!-- /bench -->']

/** Every bench's last result as a page of Markdown. */
export function benchmarksPage(results) {
  const all = Object.values(results)
  const parts = all.flatMap((result) => [
    `## ${result.title}`,
    hasOneMachine(all) ? '' : `Measured on ${result.machine}.`,
    result.notes.filter(Boolean).join(' '),
    table(result.head, result.rows),
  ])
  const measured = hasOneMachine(all) ? `Measured on ${all[0].machine}. ` : ''
  const intro = `${measured}Medians, in brackets the lowest and highest round. Made by \`npm run bench\` from [bench.json](bench.json), which keeps the last result of each bench; a dash stands for what was not there to be measured.`
  return `${['# Benchmarks', intro, ...parts].filter(Boolean).join('\n\n')}\n`
}

/** The README with the lines that decide between its marks. @throws Error where it has no marks */
export function readmeWith(readme, results) {
  const [start, end] = [readme.indexOf(OPEN), readme.indexOf(CLOSE)]
  if (start < 0 || end < start) throw new Error(`README.md has no ${OPEN} … ${CLOSE}`)
  const rows = DECIDING.map((line) => decidingRow(line, results))
  const head = ['what', 'Inlet', 'the rival', 'Inlet beside it']
  const machines = new Set(DECIDING.flatMap(({ bench }) => results[bench]?.machine ?? []))
  const measured = `Measured on ${[...machines].join('; ')}. Each row measures its rival in the same run: the median, in brackets the lowest and the highest round; 2 × is twice as fast as the rival, 0.5 × half as fast.`
  const block = [OPEN, measured, table(head, rows), CLOSE].join('\n\n')
  return readme.slice(0, start) + block + readme.slice(end + CLOSE.length)
}

function hasOneMachine(results) {
  return new Set(results.map(({ machine }) => machine)).size === 1
}
