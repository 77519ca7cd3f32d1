import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { tableFile } from '../table-files.js'
import { CONFIG, ModelsFolder, NUMBERS } from './folders.js'

let models: ModelsFolder
beforeEach(async () => {
  models = await ModelsFolder.make()
})
afterEach(() => models.remove())

/** The card of a folder with this config.json; `undefined` leaves a field of LLaMA's out. */
async function cardOf(fields: object, tensors?: readonly string[]) {
  const file = tensors && tableFile(Object.fromEntries(tensors.map((name) => [name, tensorOf(name)])))
  await models.llama('a', {
    'config.json': { ...CONFIG, ...fields },
    ...(file && { 'model.safetensors': file }),
  })
  const [{ card, error }] = await models.entries()
  if (error !== undefined) throw new Error(error.message)
  return card
}

const tensorOf = (name: string) =>
  /norm/.test(name) ? { shape: [2], numbers: [1, 1] } : { shape: [4, 2], numbers: NUMBERS }

describe('a field that config.json leaves out has the family’s default', () => {
  test('Gemma’s heads have 256 elements at any width', async () => {
    const { positionEmbedding } = await cardOf({ model_type: 'gemma' })
    expect(positionEmbedding).toMatchObject({ type: 'rope', head_dim: 256 })
  })

  test('LLaMA’s heads divide its width', async () => {
    const { positionEmbedding } = await cardOf({})
    expect(positionEmbedding).toMatchObject({ type: 'rope', head_dim: 2 })
  })

  test('LLaMA’s longest sequence is 2048', async () => {
    expect((await cardOf({ max_position_embeddings: undefined })).maxPositionEmbeddings).toBe(2048)
  })

  test.each([
    ['gemma', {}, 0],
    ['gemma', { pad_token_id: null, eos_token_id: 3 }, 3], // `pad_token_id` is null: it has none
    ['gemma', { eos_token_id: 3 }, 0],
    ['llama', { eos_token_id: [2, 3] }, 2],
    ['llama', {}, undefined],
  ])('the pad of %s with %j is %s', async (model_type, fields, pad) => {
    expect((await cardOf({ model_type, ...fields })).padTokenId).toBe(pad)
  })

  test('a field that only other families read may have any value', async () => {
    expect(await cardOf({ position_biased_input: 'x' })).toMatchObject({
      positionEmbedding: { type: 'rope' },
    })
  })

  test('an older name’s value comes before a default', async () => {
    const norms = ['word_embeddings_layernorm.weight', 'word_embeddings_layernorm.bias']
    const older = { hidden_size: undefined, n_embed: 2, num_attention_heads: undefined }
    const tensors = ['word_embeddings.weight', ...norms]
    expect(await cardOf({ ...older, model_type: 'bloom', n_head: 2 }, tensors)).toMatchObject({
      hiddenSize: 2,
      positionEmbedding: { type: 'alibi', num_heads: 2 },
    })
  })

  test('missing heads', async () => {
    const norms = ['word_embeddings_layernorm.weight', 'word_embeddings_layernorm.bias']
    const card = await cardOf({ model_type: 'bloom', num_attention_heads: undefined }, [
      'word_embeddings.weight',
      ...norms,
    ])
    expect(card.positionEmbedding).toMatchObject({ num_heads: 8 })
  })
})

describe('the table that an encoder reads', () => {
  const position = { shape: [10, 2], numbers: Array(20).fill(0) }
  const norm = { shape: [2], numbers: [1, 1] }
  const BART = {
    'shared.weight': { shape: [4, 2], numbers: NUMBERS },
    'encoder.embed_tokens.weight': { shape: [4, 2], numbers: NUMBERS },
    'encoder.embed_positions.weight': position,
    'encoder.layernorm_embedding.weight': norm,
    'encoder.layernorm_embedding.bias': norm,
  }
  test.each([
    [undefined, 'shared.weight'],
    [true, 'shared.weight'],
    [false, 'encoder.embed_tokens.weight'],
  ])('BART with tie_word_embeddings %s: %s', async (tie_word_embeddings, name) => {
    const config = { ...CONFIG, model_type: 'bart', tie_word_embeddings }
    await models.write('a', { 'config.json': config, 'model.safetensors': tableFile(BART) })
    const [{ card }] = await models.entries()
    const { tensors } = card.source as Extract<typeof card.source, { type: 'folder' }>
    expect(tensors.find(({ table }) => table === 'wte.weight')?.name).toBe(name)
  })
})
