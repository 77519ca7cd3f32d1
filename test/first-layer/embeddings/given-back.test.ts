import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { bindPositionEmbedding } from '../../../src/first-layer/embeddings/positions/position-embedding.js'
import { readPositionEmbedding } from '../../../src/first-layer/embeddings/positions/position-option.js'
import { inputEmbeddings } from '../../../src/first-layer/input-embedding.js'
import { embedOptions } from '../../../src/first-layer/options/embedding.js'
import { COMMON_OUTPUTS } from '../../../src/first-layer/outputs.js'
import { blocksNow } from '../../../src/first-layer/tensors/blocks.js'
import type { NamedTensor } from '../../../src/first-layer/tensors/named-tensor.js'
import { TokenBuffer } from '../../../src/first-layer/tokens/token-buffer.js'
import { Documents } from '../../../src/first-layer/windows/documents.js'
import { type TestService, testService } from '../../helper.js'

let service: TestService
beforeAll(async () => {
  service = await testService()
})
afterAll(() => service.close())

const SCHEMES = ['learned_absolute', 'sinusoidal', 'rope', 'alibi', 't5'] as const

/** All tensors of one request under a scheme. */
async function tensorsOf(
  type: (typeof SCHEMES)[number],
  dtype: 'float32' | 'float16',
): Promise<readonly NamedTensor[]> {
  const { spec } = service.model
  const position = bindPositionEmbedding(
    readPositionEmbedding(type === 'rope' ? { type, head_dim: 4 } : type),
  )
  const names = [...new Set([...COMMON_OUTPUTS, ...position.tensorNames])]
  const outputs = position.added === undefined ? names : [...COMMON_OUTPUTS, position.added]
  const options = embedOptions.parse({ context_length: 4, stride: 2, dtype, ids_dtype: 'int64', outputs })
  const plan = { options, architecture: spec.architecture, position, single: false, truncation: undefined }
  const ids = TokenBuffer.of(Array.from({ length: 40 }, (_, i) => i))
  return (await inputEmbeddings(service.model, Documents.of(ids), plan)).tensors
}

describe.each(SCHEMES)('blocks of %s', (type) => {
  test.each(['float32', 'float16'] as const)(
    'go back to their pool, however the reader ends (%s)',
    async (dtype) => {
      const { workspace } = service.model
      const free = workspace.freeBlocks
      for (const tensor of await tensorsOf(type, dtype)) {
        let held = 0
        for (const _ of blocksNow(tensor.blocks())) held = Math.max(held, free - workspace.freeBlocks)
        expect([workspace.freeBlocks, held], tensor.name).toEqual([free, 1])
        for (const _ of blocksNow(tensor.blocks())) break
        expect(workspace.freeBlocks, `${tensor.name}, given up`).toBe(free)
        const failing = blocksNow(tensor.blocks())[Symbol.iterator]()
        failing.next()
        expect(() => failing.throw?.(new Error('the caller has gone'))).toThrow('gone')
        expect(workspace.freeBlocks, `${tensor.name}, failed`).toBe(free)
      }
    },
  )
})
