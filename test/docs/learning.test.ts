import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { ownServers } from '../service/own.js'
import { blocksOf, linesOf, printed, whyNoNumpy } from './python-page.js'

const PAGE = 'docs/learning.md'
const blocks = blocksOf(PAGE).filter(({ language }) => language === 'python')
const noNumpy = whyNoNumpy()

const start = ownServers()

test('the Python of docs/learning.md prints what it shows: loop, retries, checkpoint', async (context) => {
  const page = readFileSync(PAGE, 'utf8')
  const [, key = ''] = /^```sh\nADMIN_KEY=(\S+) npm start/m.exec(page) ?? []
  expect(page).toContain(`Inlet("http://localhost:8000", "${key}")`)
  if (noNumpy !== undefined) context.skip(noNumpy)
  const port = await start({ ADMIN_KEY: key, THREADS: '2' }).port()
  const found = await printed(blocks, (code) => code.replaceAll('localhost:8000', `127.0.0.1:${port}`))
  for (const [index, { shown }] of blocks.entries()) {
    if (shown !== undefined) expect(found[index], `block ${index}`).toEqual(linesOf(shown))
  }
  const losses = Array.from(
    found
      .flat()
      .join('\n')
      .matchAll(/^epoch \d: loss ([\d.]+)/gm),
    ([, loss]) => Number(loss),
  )
  expect(losses).toHaveLength(3)
  expect(losses[2]).toBeLessThan(losses[0]! - 0.2)
})
