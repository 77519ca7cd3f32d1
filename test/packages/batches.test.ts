import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { Inlet } from '../../clients/typescript/src/client.js'
import type { Tensors } from '../../clients/typescript/src/tensors.js'
import { COMMON_OUTPUTS } from '../../src/first-layer/outputs.js'
import { listen, type TestService, testService } from '../helper.js'

const FIELDS = {
  ...{ text: 'Hello, world! This is the first layer.', context_length: 2, stride: 1 },
  ...{ batch_size: 3, shuffle: true, seed: 7 },
  outputs: ['input_ids', 'target_ids', 'input_embeddings', 'window_starts', 'position_embeddings'] as const,
}

describe('batches of the TypeScript client', () => {
  let service: TestService
  let inlet: Inlet
  beforeAll(async () => {
    service = await testService()
    inlet = new Inlet(`http://127.0.0.1:${await listen(service)}`)
  })
  afterAll(() => service.close())

  it.each([
    [false, [3, 3, 2]],
    [true, [3, 3]],
  ])('are those of `batch_index`, by one call (drop_last %s)', async (drop_last, sizes) => {
    const fields = { ...FIELDS, outputs: [...FIELDS.outputs], drop_last }
    const asked = service.log.lines.length
    const batches: Tensors[] = []
    for await (const batch of inlet.batches(fields)) batches.push(batch)
    const calls = service.log.lines.slice(asked).filter(({ msg }) => msg === 'request')
    expect(calls.length).toBeLessThanOrEqual(1)
    expect(batches.map((batch) => batch.get('input_ids')?.shape[0])).toEqual(sizes)
    for (const [batch_index, batch] of batches.entries()) {
      expect(batch.counts.num_batches).toBe(sizes.length)
      expect([...batch]).toEqual([...(await inlet.inputEmbeddings({ ...fields, batch_index }))])
    }
  })
})

it.each(['clients/python/src/inlet_client/tensors.py', 'clients/typescript/src/tensors.ts'])(
  '%s knows all tensors that have an axis of windows',
  (path) => {
    const source = readFileSync(path, 'utf8')
    const [list] = /OF_WINDOWS( =|:)[\s\S]*?\n[\])]/.exec(source)!
    expect(list.match(/(?<=["'])\w+(?=["'])/g)!.sort()).toEqual([...COMMON_OUTPUTS].sort())
  },
)
