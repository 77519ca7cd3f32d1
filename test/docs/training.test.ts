import { execFile, spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { promisify } from 'node:util'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { permuted, roundKeys } from '../../src/first-layer/datasets/orders.js'
import { listen, type TestService, testService } from '../helper.js'
import { blocksOf, linesOf, PYTHON, printed, whyNoNumpy } from './python-page.js'

const run = promisify(execFile)
const page = readFileSync('docs/training.md', 'utf8')

/** The second page goes on from the first. */
const blocks = [...blocksOf('docs/training.md'), ...blocksOf('docs/packing.md')]
const of = (wanted: string) => blocks.filter(({ language }) => language === wanted)

const hasCurl = spawnSync('curl', ['--version']).status === 0
const noNumpy = whyNoNumpy()

let service: TestService
let port: number
beforeAll(async () => {
  const [, key = ''] = /key="([^"]+)"/.exec(page)!
  service = await testService({ ADMIN_KEY: key }, { hasDatasets: true })
  port = await listen(service)
})
afterAll(() => service.close())

const here = (code: string) => code.replaceAll('localhost:8000', `127.0.0.1:${port}`)

test('the uploads of docs/training.md and packing.md have the ids that it shows', async (context) => {
  if (!hasCurl) context.skip('there is no curl')
  expect(of('sh')).toHaveLength(2)
  for (const { code, shown } of of('sh')) {
    const { stdout } = await run('sh', ['-ec', here(code)])
    expect(stdout).toBe(shown)
  }
})

test('the Python of docs/training.md and packing.md prints what it shows: loader, loop, ranks, packing, order', async (context) => {
  if (!hasCurl) context.skip('there is no curl')
  if (noNumpy !== undefined) context.skip(noNumpy)
  const found = await printed(of('python'), here)
  for (const [index, { shown }] of of('python').entries()) {
    if (shown !== undefined) expect(found[index], `block ${index}`).toEqual(linesOf(shown))
  }
  const losses = Array.from(
    found
      .flat()
      .join('\n')
      .matchAll(/^epoch \d: train ([\d.]+), validation ([\d.]+)$/gm),
    ([, ...each]) => each.map(Number),
  )
  expect(losses).toHaveLength(2)
  expect(losses[1]![0]).toBeLessThan(losses[0]![0]! - 0.1)
})

test('the function of docs/packing.md gives the service’s order of any number of windows', async (context) => {
  if (spawnSync(PYTHON, ['--version']).status !== 0) context.skip(`there is no ${PYTHON}`)
  const { code } = of('python').find(({ code: each }) => each.includes('def window_at'))!
  const orders = [
    { n: 1, seed: 0n, epoch: 0, stream: 0 },
    { n: 2, seed: 1n, epoch: 0, stream: 0 },
    { n: 1000, seed: -1n, epoch: 7, stream: 3 },
    { n: 4097, seed: 2n ** 64n - 1n, epoch: 2 ** 31 - 1, stream: 0 },
    { n: 2 ** 40 + 1, seed: -(2n ** 63n), epoch: 1, stream: 63 },
  ]
  const asked = orders.flatMap((order) =>
    Array.from({ length: Math.min(order.n, 50) }, (_, place) => ({ place, ...order })),
  )
  const calls = asked.map(
    ({ place, n, seed, epoch, stream }) => `(${place}, ${n}, ${seed}, ${epoch}, ${stream})`,
  )
  const { stdout } = await run(PYTHON, ['-c', `${code}\nprint([window_at(*a) for a in [${calls}]])`])
  const keysOf = ({ seed, epoch, stream }: (typeof asked)[number]) => roundKeys(seed, epoch, stream)
  expect(JSON.parse(stdout)).toEqual(asked.map((each) => permuted(each.place, each.n, keysOf(each))))
})
