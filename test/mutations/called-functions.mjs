import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { noteName } from './note-name.mjs'
import { VitestRuns } from './vitest-runs.mjs'

/** Tests that run between two lines of progress, and what one of them may take, in milliseconds. */
const AT_ONCE = 20
const LIMIT_MS = 120_000

/**
 * Which tests call a function: `calls(test, 'src/first-layer/windows/documents.ts', 'add')`; undefined where that is not known. Each
 * test runs once for that; what it called is kept in `cache` until it changes.
 *
 * @param root the checkout whose tests run
 */
export async function calledFunctions(root, tests, cache, workers) {
  const kept = existsSync(cache) ? JSON.parse(readFileSync(cache, 'utf8')) : {}
  const hashOf = (test) =>
    createHash('sha256')
      .update(readFileSync(join(root, test)))
      .digest('hex')
  const hashes = new Map(tests.map((test) => [test, hashOf(test)]))
  const wanted = tests.filter((test) => kept[test]?.hash !== hashes.get(test))
  const notes = join(root, 'build', 'called')
  const runs = new VitestRuns(root, workers, { CALLED: notes })
  for (let at = 0; at < wanted.length; at += AT_ONCE) {
    const some = wanted.slice(at, at + AT_ONCE)
    await runs.run([], some, { bail: 0, limitMs: AT_ONCE * LIMIT_MS })
    for (const test of some) {
      const note = join(notes, noteName(test))
      if (existsSync(note))
        kept[test] = { hash: hashes.get(test), called: JSON.parse(readFileSync(note, 'utf8')) }
    }
    mkdirSync(dirname(cache), { recursive: true })
    writeFileSync(cache, JSON.stringify(kept))
    console.log(`called functions of ${at + some.length} of ${wanted.length} tests`)
  }
  runs.end()
  return (test, file, name) => {
    const note = kept[test]
    if (note === undefined) return undefined
    return note.called[file]?.includes(name) ?? false
  }
}
