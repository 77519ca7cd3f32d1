import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { listen, type TestService, testService } from '../helper.js'
import { blocksOf, linesOf, printed, whyNoNumpy } from './python-page.js'

const PAGE = 'docs/learning.md'
const blocks = blocksOf(PAGE)
const noNumpy = whyNoNumpy()

let service: TestService
let port: number
beforeAll(async () => {
  const [, key = ''] = /KEY = "[^"]+", "([^"]+)"/.exec(readFileSync(PAGE, 'utf8')) ?? []
  service = await testService({ ADMIN_KEY: key }, { hasLearning: true })
  port = await listen(service)
})
afterAll(() => service.close())

test('the Python of docs/learning.md prints what it shows: loop, retries, checkpoint', async (context) => {
  if (noNumpy !== undefined) context.skip(noNumpy)
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
