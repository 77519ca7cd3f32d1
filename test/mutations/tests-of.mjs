import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.[^']+)'/g
/** Tests that import this file run the built service: they reach whatever its entries import. */
const BUILT = 'test/built.ts'
const ENTRIES = ['src/server.ts', 'src/threads/worker.ts', 'src/threads/make.ts', 'src/cli/main.ts']
/** Runs for minutes, or says nothing of the code's behaviour. */
const LEFT_OUT = /^test\/(heavy|attacks|clients|bench|docs|docker)\//

/**
 * The tests of a source file, from the one most likely to notice a change to the least:
 * `testsOf('src/windows/documents.ts')` → `['test/windows/documents.test.ts', 'test/windows/golden.test.ts', …]`.
 */
export function testFinder(root) {
  const files = execFileSync('git', ['ls-files', 'src', 'test'], { cwd: root, encoding: 'utf8' }).split('\n')
  const imports = new Map(files.filter(isCode).map((file) => [file, importsOf(root, file)]))
  imports.get(BUILT)?.push(...ENTRIES)
  const distances = files
    .filter((file) => file.endsWith('.test.ts') && !LEFT_OUT.test(file))
    .map((test) => ({ test, reached: distancesFrom(test, imports) }))
  return {
    usesBuild: (test) => distances.find((each) => each.test === test).reached.has(BUILT),
    testsOf(source) {
      return distances
        .filter(({ reached }) => reached.has(source))
        .map(({ test, reached }) => ({ test, rank: rank(source, test, reached.get(source)) }))
        .sort((a, b) => a.rank - b.rank)
        .map(({ test }) => test)
    },
  }
}

/** Small for a test that is close: the mirrored file, its folder, an import, a name that both share, the same room. */
function rank(source, test, distance) {
  const mirrored = dirname(source).replace(/^src/, 'test')
  const name = basename(source, '.ts')
  const testName = basename(test, '.test.ts')
  if (dirname(test) === mirrored && testName === name) return 0
  if (distance === 1) return 10
  if (dirname(test) === mirrored) return 20 + distance
  if (testName.includes(name) || name.includes(testName)) return 30 + distance
  const isSameRoom = test.split('/')[1] === source.split('/')[1]
  return (isSameRoom ? 50 : 70) + distance
}

function isCode(file) {
  return /\.(ts|mjs)$/.test(file)
}

function importsOf(root, file) {
  const text = readFileSync(join(root, file), 'utf8')
  return [...text.matchAll(IMPORT)].flatMap(([, path]) => {
    const found = join(dirname(file), path).replace(/\.js$/, '.ts')
    return existsSync(join(root, found)) ? [found] : []
  })
}

/** How many imports away each file is. */
function distancesFrom(start, imports) {
  const reached = new Map([[start, 0]])
  for (const [file, distance] of reached) {
    for (const next of imports.get(file) ?? []) if (!reached.has(next)) reached.set(next, distance + 1)
  }
  return reached
}
