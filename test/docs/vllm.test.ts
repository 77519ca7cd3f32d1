import { readFileSync } from 'node:fs'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { promptEmbedsRequest } from '../../src/features/prompt-embeds/schemas.js'
import { ModelsFolder } from '../checkpoints/folders.js'
import { tokenizerFile } from '../first-layer/tokens/byte-pair/files.js'
import { post, type TestService, testService } from '../helper.js'
import { tableFile } from '../table-files.js'
import { readTorchFile } from '../torch-file.js'
import { curlCalls } from './curl.js'

const PAGE = readFileSync('docs/vllm.md', 'utf8')
const [VOCAB, DIM] = [1300, 4]

/** A small LLaMA in the place of the page's. */
const LLAMA = {
  'config.json': {
    ...{ model_type: 'llama', vocab_size: VOCAB, hidden_size: DIM, num_attention_heads: 1 },
    ...{ max_position_embeddings: 1024, dtype: 'float32' },
  },
  'model.safetensors': tableFile({
    'model.embed_tokens.weight': { shape: [VOCAB, DIM], numbers: Array(VOCAB * DIM).fill(0.5) },
  }),
  'tokenizer.json': tokenizerFile('roberta'),
}

describe('docs/vllm.md', () => {
  let folder: ModelsFolder
  let service: TestService
  beforeAll(async () => {
    folder = await ModelsFolder.make()
    await folder.write('llama', LLAMA)
    service = await testService({}, { folders: await folder.entries() })
  })
  afterAll(async () => {
    await service.close()
    await folder.remove()
  })

  it('gets rows of the whole prompt, which it hands to the model server', async () => {
    const [toInlet, toServer, ...others] = curlCalls(PAGE)
    expect(others).toEqual([])
    expect(toInlet.url).toBe('http://localhost:8000/v1/prompt-embeds')
    expect([toServer.url, toServer.readsPipe]).toEqual(['http://localhost:8001/v1/completions', true])
    const { model, text } = JSON.parse(toInlet.init.body!)
    const { prompt_embeds } = (await post(service, '/v1/prompt-embeds', { model, text })).json()
    const whole = { model, text, add_special_tokens: true }
    const { input_ids } = (await post(service, '/v1/tokenize', whole)).json()
    const shapes = prompt_embeds.map((file: string) => readTorchFile(Buffer.from(file, 'base64')).shape)
    expect(shapes).toEqual([[input_ids.length, DIM]])
    expect(PAGE).toContain(
      'jq \'{model: "meta-llama/Llama-3.1-8B-Instruct", prompt_embeds: .prompt_embeds[0],',
    )
  })

  it('lists the fields of /v1/prompt-embeds', () => {
    const [, rows] = /^\| field \| default \| meaning \|\n.*\n((?:\|.*\n)+)/m.exec(PAGE)!
    const firstCells = rows.split('\n').map((row) => row.split('|')[1] ?? '')
    const names = firstCells.flatMap((cell) => Array.from(cell.matchAll(/`(\w+)`/g), ([, name]) => name))
    expect(names.sort()).toEqual(Object.keys(promptEmbedsRequest.shape).sort())
  })
})
