import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { basename, dirname, join } from 'node:path'

const IMPORT = /(?:\bfrom|\bimport\(|\bimport)\s*'(\.[^']+)'/g
/** Tests that import this file run the built service: they reach whatever its entries import. */
const BUILT = 'test/built.ts'
const ENTRIES = [
  'src/index.ts',
  'src/server.ts',
  'src/early-stop.ts',
  'src/worker.ts',
  'src/threads/make.ts',
  'src/threads/library-thread.ts',
  'src/health-check.ts',
  'src/first-layer/tokens/rust/rust-process.ts',
  'src/cli/main.ts',
]
/** Runs for minutes, or by another configuration, or says nothing of the code's behaviour. */
const LEFT_OUT = /^test\/(heavy|browser|attacks|clients|bench|docs|docker)\//

/**
 * The tests of a source file, from the one most likely to notice a change to the least:
 * `testsOf('src/first-layer/windows/documents.ts')` → `['test/first-layer/windows/documents.test.ts', 'test/first-layer/windows/golden.test.ts', …]`.
 */
export function testFinder(root) {
  const files = execFileSync('git', ['ls-files', 'src', 'test'], { cwd: root, encoding: 'utf8' }).split('\n')
  const imports = new Map(files.filter(isCode).map((file) => [file, importsOf(root, file)]))
  imports.get(BUILT)?.push(...ENTRIES)
  const distances = files
    .filter((file) => file.endsWith('.test.ts') && !LEFT_OUT.test(file))
    .map((test) => ({ test, reached: distancesFrom(test, imports), words: wordsOf(join(root, test)) }))
  const rarity = rarityOf(distances.map(({ words }) => words))
  return {
    usesBuild: (test) => distances.find((each) => each.test === test).reached.has(BUILT),
    testsOf(source) {
      const words = wordsOf(join(root, source))
      const nearness = ({ test, reached, words: own }) =>
        likeness(words, own, rarity) * bonus(source, test, reached.get(source))
      return distances
        .filter(({ reached }) => reached.has(source))
        .map((each) => ({ test: each.test, nearness: nearness(each) }))
        .sort((a, b) => b.nearness - a.nearness)
        .map(({ test }) => test)
    },
  }
}

/** How much more a test says than its words do: it mirrors the file, or imports it. */
function bonus(source, test, distance) {
  const mirrored = dirname(source).replace(/^src/, 'test')
  if (dirname(test) === mirrored && basename(test, '.test.ts') === basename(source, '.ts')) return 100
  return (distance === 1 ? 4 : 1) * (dirname(test) === mirrored ? 2 : 1)
}

/** The words of a file's names, texts and comments: `checkOwnMetadata` → check, own, metadata. */
function wordsOf(file) {
  const names = readFileSync(file, 'utf8').match(/[A-Za-z]+/g) ?? []
  const words = names.flatMap((name) =>
    name
      .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
      .toLowerCase()
      .split(' '),
  )
  return new Set(words.filter((word) => word.length > 2))
}

/** Word → how much it tells: more the fewer tests have it. */
function rarityOf(tests) {
  const counts = new Map()
  for (const words of tests) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1)
  return new Map([...counts].map(([word, count]) => [word, Math.log(tests.length / count)]))
}

/** The rare words that a source and a test share, for the length of the test. */
function likeness(source, test, rarity) {
  let shared = 0
  let own = 0
  for (const word of test) {
    const told = rarity.get(word)
    own += told ** 2
    if (source.has(word)) shared += told ** 2
  }
  return shared / Math.sqrt(own)
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
