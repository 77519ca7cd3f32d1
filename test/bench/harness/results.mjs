import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { machine } from './machine.mjs'
import { table } from './text.mjs'

const RESULTS = new URL('../../../docs/bench.json', import.meta.url)
const README = new URL('../../../README.md', import.meta.url)
const [OPEN, CLOSE] = ['<!-- bench -->', '<!-- /bench -->']

/** Keeps a bench's result beside the others' last ones, and writes the README's tables from all of them. */
export function saveResult(name, { title, notes, head, rows }) {
  const results = existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {}
  results[name] = { machine: machine(), title, notes, head, rows }
  const sorted = Object.fromEntries(Object.entries(results).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(RESULTS, `${JSON.stringify(sorted, undefined, 2)}\n`)
  if (existsSync(README)) writeReadme(Object.values(sorted))
}

function writeReadme(results) {
  const machines = [...new Set(results.map((result) => result.machine))]
  const parts = results.map((result) =>
    [
      `**${result.title}**${machines.length > 1 ? ` (${result.machine})` : ''}`,
      result.notes.join(' '),
      table(result.head, result.rows),
    ]
      .filter(Boolean)
      .join('\n\n'),
  )
  const head =
    machines.length > 1
      ? []
      : [`Measured on ${machines[0]}; medians, in brackets the lowest and highest round.`]
  const block = `${OPEN}\n\n${[...head, ...parts].join('\n\n')}\n\n${CLOSE}`
  const readme = readFileSync(README, 'utf8')
  const [start, end] = [readme.indexOf(OPEN), readme.indexOf(CLOSE)]
  const text =
    start < 0 || end < start
      ? `${readme.trimEnd()}\n\n${block}\n`
      : readme.slice(0, start) + block + readme.slice(end + CLOSE.length)
  writeFileSync(README, text)
}
