import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TorchGenerator } from '../../src/first-layer/random/generator.js'
import { decodeSafetensors, floats, ints, MEDIA_TYPES } from '../decode.js'
import { embed, testService } from '../helper.js'
import { checkProperty } from '../property.js'
import { twinBatches, twinWindows } from '../twins/windows.js'

const OUTPUTS = ['token_embeddings', 'position_embeddings', 'input_embeddings', 'input_ids', 'attention_mask']

/** Models and requests of any size, sent as ids. */
const someCase = fc
  .record({
    vocab: fc.integer({ min: 1, max: 60 }),
    dim: fc.integer({ min: 1, max: 40 }),
    positions: fc.integer({ min: 1, max: 20 }),
    seed: fc.bigInt({ min: -(2n ** 63n), max: 2n ** 64n - 1n }),
    std: fc.constantFrom('1', '0.02', '3.5'),
    tail: fc.constantFrom('drop' as const, 'pad' as const),
    stride: fc.integer({ min: 1, max: 9 }),
    batchSize: fc.integer({ min: 1, max: 5 }),
  })
  .chain((model) =>
    fc.record({
      model: fc.constant(model),
      contextLength: fc.integer({ min: 1, max: model.positions }),
      documents: fc.array(fc.array(fc.nat(model.vocab - 1), { minLength: 1, maxLength: 25 }), {
        minLength: 1,
        maxLength: 3,
      }),
      padTokenId: fc.nat(model.vocab - 1),
    }),
  )

test('any seed, any sizes: rows of the tables as PyTorch draws them, and their sums', async () => {
  await checkProperty(
    fc.asyncProperty(someCase, async ({ model, contextLength, documents, padTokenId }) => {
      const { vocab, dim, positions, seed, std, tail, stride, batchSize } = model
      const generator = new TorchGenerator(seed)
      const wte = new Float32Array(vocab * dim)
      const wpe = new Float32Array(positions * dim)
      generator.normal(wte, 0, Number(std))
      generator.normal(wpe, 0, Number(std))

      const rule = { contextLength, stride, tail, padTokenId }
      const { windows } = twinWindows(documents, rule)
      const batch = twinBatches(windows, batchSize, false).at(-1) ?? []
      const ids = batch.flatMap(({ inputs }) => inputs)
      const offset = positions - contextLength

      const service = await testService({
        VOCAB_SIZE: String(vocab),
        EMBEDDING_DIM: String(dim),
        MAX_POSITION_EMBEDDINGS: String(positions),
        SEED: String(seed),
        INIT_STD: std,
      })
      const call = {
        input_ids: documents,
        context_length: contextLength,
        stride,
        tail,
        pad_token_id: padTokenId,
        batch_size: batchSize,
        batch_index: Math.max(0, Math.ceil(windows.length / batchSize) - 1),
        position_offset: offset,
        outputs: OUTPUTS,
      }
      const answer = await embed(service, call, { accept: MEDIA_TYPES.safetensors })
      await service.close()
      if (windows.length === 0) {
        expect(answer.json().error.code).toBe('no_windows')
        return
      }
      const { tensors } = decodeSafetensors(answer.body)
      const tokenRows = ids.flatMap((id) => [...wte.subarray(id * dim, (id + 1) * dim)])
      const positionRows = [...wpe.subarray(offset * dim, (offset + contextLength) * dim)]
      const sums = tokenRows.map((value, i) => Math.fround(value + positionRows[i % positionRows.length]))
      expect([...ints(tensors.input_ids)]).toEqual(ids)
      expect([...ints(tensors.attention_mask)]).toEqual(batch.flatMap(({ mask }) => mask))
      expect([...floats(tensors.token_embeddings)]).toEqual(tokenRows)
      expect([...floats(tensors.position_embeddings)]).toEqual(positionRows)
      expect([...floats(tensors.input_embeddings)]).toEqual(sums)
    }),
    60,
  )
})
