import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { machine } from './machine.mjs'
import { benchmarksPage, readmeWith } from './pages.mjs'

const RESULTS = new URL('../../../docs/bench.json', import.meta.url)
const PAGE = new URL('../../../docs/benchmarks.md', import.meta.url)
const README = new URL('../../../README.md', import.meta.url)

/** The last result of each bench, by name. */
export function savedResults() {
  return existsSync(RESULTS) ? JSON.parse(readFileSync(RESULTS, 'utf8')) : {}
}

/** Keeps a bench's result beside the others' last ones, and writes the documents from all of them. */
export function saveResult(name, { title, notes, head, rows }) {
  const results = { ...savedResults(), [name]: { machine: machine(), title, notes, head, rows } }
  const sorted = Object.fromEntries(Object.entries(results).sort(([a], [b]) => (a < b ? -1 : 1)))
  writeFileSync(RESULTS, `${JSON.stringify(sorted, undefined, 2)}\n`)
  writeDocuments(sorted)
}

/** Writes `docs/benchmarks.md` and the README's lines. */
export function writeDocuments(results) {
  writeFileSync(PAGE, benchmarksPage(results))
  if (existsSync(README)) writeFileSync(README, readmeWith(readFileSync(README, 'utf8'), results))
}
