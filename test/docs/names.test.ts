import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { expect, it } from 'vitest'

const TEXTS = execFileSync('git', ['ls-files', '*.md', '*.ipynb', 'examples', 'src/cli'], {
  encoding: 'utf8',
})
  .split('\n')
  .filter(Boolean)
/** Those that stand in a package, or are about one that is installed. */
const OUTSIDE = /^(clients|packages)\/[^/]+\/README\.md$|^docs\/library\.md$/
/** `inlet` on npm and on PyPI are packages of others. */
const OF_OTHERS = /from ['"]inlet['"]|(npm (i|install|add)|npx --yes|npx -y|pip install) inlet(?![-_\w])/

const matches = (pattern: RegExp, files: readonly string[]) =>
  files.flatMap((file) =>
    readFileSync(file, 'utf8')
      .split('\n')
      .filter((line) => pattern.test(line))
      .map((line) => `${file}: ${line.trim()}`),
  )

it('texts install and import inlet-lm, never the inlet of others', () => {
  expect(TEXTS.length).toBeGreaterThan(30)
  expect(matches(OF_OTHERS, TEXTS)).toEqual([])
})

it('texts that are read outside the checkout say npx inlet-lm', () => {
  const outside = TEXTS.filter((file) => OUTSIDE.test(file))
  expect(outside.length).toBeGreaterThan(3)
  expect(matches(/npx inlet(?!-)/, outside)).toEqual([])
})
