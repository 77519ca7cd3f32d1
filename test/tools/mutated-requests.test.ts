import { afterAll, beforeAll, expect, test } from 'vitest'
// @ts-expect-error a script without types
import { ENV, sendMutated } from '../attacks/harness/mutations/run.mjs'
// @ts-expect-error a script without types
import { startService } from '../attacks/harness/service.mjs'

const COUNT = 3000
const seed = Number(process.env.SEED ?? Date.now() % 2 ** 31)

let service: { kill(): void; exited: Promise<unknown> }
beforeAll(async () => {
  service = await startService({ env: ENV })
})
afterAll(async () => {
  service.kill()
  await service.exited
})

test('mutated requests are answered, or refused as documented', async () => {
  console.info(`seed ${seed}: node test/attacks/mutated-requests.mjs --seed ${seed} --only NUMBER shows one`)
  const { counts, failures } = await sendMutated(service, { count: COUNT, seed })
  expect(failures).toEqual([])
  expect(counts.get('200')).toBeGreaterThan(COUNT / 20)
})
