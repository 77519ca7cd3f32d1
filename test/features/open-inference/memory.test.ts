import { expect, test } from 'vitest'
import { folderEntries } from '../../../src/models/folders.js'
import { embed, testService } from '../../helper.js'
import { decoded, infer } from './inference.js'

const GOLDENS = new URL('../../goldens/memory/', import.meta.url).pathname
const LAYERS = ['per_layer_inputs', 'per_layer_projected', 'hidden_streams']
const MODELS = { gemma3n: LAYERS, qwen4_exp: ['ngram_ids', 'ngram_embeddings', 'hidden_streams'] }

test('outputs of models with memory have the native route’s numbers, and the shapes of the metadata', async () => {
  const folders = await folderEntries({ MODELS_DIR: GOLDENS, MODELS: undefined }, () => {})
  const service = await testService({}, { folders })
  for (const [model, names] of Object.entries(MODELS)) {
    const ids = { name: 'input_ids', shape: [2, 2], datatype: 'INT64', data: [5, 7, 13, 2] }
    const asked = { inputs: [ids], outputs: names.map((name) => ({ name })) }
    const answer = await infer(service, asked, { url: `/v2/models/${model}/infer` })
    const native = { model, input_ids: [[5, 7], [13, 2]], outputs: names } // biome-ignore format: short
    const { outputs } = (await embed(service, native)).json()
    const { outputs: described } = (await service.app.inject(`/v2/models/${model}`)).json()
    for (const { name, datatype, shape, data } of decoded(answer).outputs) {
      expect([name, shape, data]).toEqual([name, outputs[name].shape, outputs[name].data.flat(3)])
      expect(described).toContainEqual({ name, datatype, shape: [-1, -1, ...shape.slice(2)] })
    }
    const inDocument = { ...asked, parameters: { context_length: 1, ngram_context: 'document' } }
    const { status } = await infer(service, inDocument, { url: `/v2/models/${model}/infer` })
    expect(status).toBe(model === 'gemma3n' ? 422 : 200)
  }
  await service.close()
})
