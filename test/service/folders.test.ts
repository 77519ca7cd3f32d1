import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
// @ts-expect-error a script without types
import { client } from '../attacks/harness/model-calls.mjs'
// @ts-expect-error a script without types
import { startService } from '../attacks/harness/service.mjs'
import { hasRustLibrary, RustLibrary } from '../first-layer/tokens/rust-library.js'
import { tableFile } from '../table-files.js'

// The built service with two threads, over folders whose tokenizers are of every kind.

const TOKENIZERS = new URL('../goldens/tokenizers/', import.meta.url)
const KINDS = {
  gpt2: 'byte_pair',
  llama3: 'byte_pair',
  'wordpiece-uncased': 'wordpiece',
  'sentencepiece-bpe': 'foreign',
  unigram: 'foreign',
} as const
type Name = keyof typeof KINDS
const WIDTH = 4

interface Answer {
  readonly status: number
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  json(): any
}

let folder: string
let service: { port: number; kill(): void; exited: Promise<unknown> }
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'inlet-folders-'))
  for (const name of [...Object.keys(KINDS), 'without', 'broken']) await writeModel(name)
  await writeFile(join(folder, 'broken', 'tokenizer.json'), '{"model":{"type":"BPE","vocab":{"a":"x"}}}')
  service = await startService({ env: { THREADS: '2', MODELS_DIR: folder, ADMIN_KEY: 'adm1n-s3cret' } })
})
afterAll(async () => {
  service.kill()
  await service.exited
  await rm(folder, { recursive: true })
})

/** A LLaMA whose row i is [i, i, i, i], with a golden tokenizer where there is one of that name. */
async function writeModel(name: string): Promise<void> {
  const path = join(folder, name)
  await mkdir(path)
  if (name in KINDS) await copyFile(new URL(`${name}.json`, TOKENIZERS), join(path, 'tokenizer.json'))
  const rows = 4000
  const numbers = Array.from({ length: rows * WIDTH }, (_, i) => Math.floor(i / WIDTH))
  const config = {
    model_type: 'llama',
    vocab_size: rows,
    hidden_size: WIDTH,
    num_attention_heads: 1,
    head_dim: 2,
  }
  await writeFile(join(path, 'config.json'), JSON.stringify(config))
  const file = tableFile({ 'model.embed_tokens.weight': { shape: [rows, WIDTH], numbers } })
  await writeFile(join(path, 'model.safetensors'), file)
}

/** Asks on so many new connections that both threads answer. */
async function everywhere(path: string, body: object): Promise<Answer[]> {
  const all = Array.from({ length: 12 }, () => client(service.port, 1))
  const payload = { headers: { 'content-type': 'application/json' }, body: JSON.stringify(body) }
  try {
    return await Promise.all(all.map((each) => each.call('POST', path, payload)))
  } finally {
    for (const each of all) each.close()
  }
}

const TEXT = 'Hello, wörld! The cat’s 12 unaffable mats 🦙 <|endoftext|> [SEP] </s>'

describe('a folder with a tokenizer', () => {
  test.runIf(hasRustLibrary).each(Object.keys(KINDS) as Name[])(
    '%s gives the library’s ids, and rows of them, on each thread',
    async (name) => {
      const oracle = new RustLibrary(await readFile(new URL(`${name}.json`, TOKENIZERS), 'utf8'))
      for (const addSpecialTokens of [false, true]) {
        const { ids } = await oracle.encode(TEXT, addSpecialTokens)
        expect(await idsOf(name, { add_special_tokens: addSpecialTokens })).toEqual(Array(12).fill(ids))
      }
      const { ids } = await oracle.encode('a cat', false)
      const answers = await everywhere('/v1/input-embeddings', {
        ...{ model: name, text: 'a cat', outputs: ['input_embeddings'], encoding_format: 'float' },
      })
      for (const answer of answers) {
        expect(answer.json().outputs.input_embeddings.data[0].map(([first]: number[]) => first)).toEqual(ids)
      }
    },
  )

  async function idsOf(model: string, options: object): Promise<number[][]> {
    const answers = await everywhere('/v1/tokenize', { model, text: TEXT, ...options })
    return answers.map((answer) => answer.json().input_ids)
  }

  test.each(Object.entries(KINDS))('%s says that %s encodes', async (name, type) => {
    const own = client(service.port, 1)
    const { tokenizer, encoding, state } = (await own.call('GET', `/v1/models/${name}`)).json()
    own.close()
    expect({ tokenizer, encoding, state }).toEqual({
      ...{ tokenizer: { type, available: true }, encoding: null, state: 'ready' },
    })
  })

  test.runIf(hasRustLibrary).each(Object.keys(KINDS))(
    '%s answers a list as one call a text',
    async (model) => {
      const own = client(service.port, 1)
      const headers = { 'content-type': 'application/json' }
      const ask = async (text: unknown) => {
        const body = JSON.stringify({ model, text, add_special_tokens: true })
        return (await own.call('POST', '/v1/tokenize', { headers, body })).json()
      }
      const texts = ['a cat', TEXT, '\u200b', TEXT.repeat(300), ' ', 'é']
      const singles = []
      for (const text of texts) singles.push(await ask(text))
      const list = await ask(texts)
      own.close()
      expect(list.input_ids).toEqual(singles.flatMap(({ input_ids }) => input_ids))
      expect(list.tokens).toEqual(singles.flatMap(({ tokens }) => tokens))
      const counts = singles.map(({ num_tokens, num_characters }) => ({ num_tokens, num_characters }))
      expect(list.documents).toMatchObject(counts)
    },
  )

  test.runIf(hasRustLibrary).each(Object.keys(KINDS))('%s turns its ids back into text', async (name) => {
    const [first] = await everywhere('/v1/tokenize', { model: name, text: 'a cat sat' })
    const answers = await everywhere('/v1/detokenize', { model: name, input_ids: first.json().input_ids })
    expect(answers.map((answer) => answer.json().text)).toEqual(Array(12).fill('a cat sat'))
  })
})

describe('a folder without a tokenizer', () => {
  test('serves ids, and refuses text by name', async () => {
    const [refused] = await everywhere('/v1/input-embeddings', { model: 'without', text: 'a' })
    expect([refused.status, refused.json().error.code]).toEqual([422, 'tokenizer_unavailable'])
    const [served] = await everywhere('/v1/input-embeddings', {
      ...{ model: 'without', input_ids: [7, 8], outputs: ['input_embeddings'], encoding_format: 'float' },
    })
    expect(served.json().outputs.input_embeddings.data).toEqual([
      [Array(WIDTH).fill(7), Array(WIDTH).fill(8)],
    ])
  })
})

test('a folder whose tokenizer cannot be right has failed, with the reason; the others go on', async () => {
  const own = client(service.port, 1)
  const { state, error } = (await own.call('GET', '/v1/models/broken')).json()
  own.close()
  expect([state, error.code]).toEqual(['failed', 'model_failed'])
  expect(error.message).toMatch(/^broken\/tokenizer\.json: .*model\.vocab.*Given: "x"/)
})

describe('POST /v1/models/{model}/load', () => {
  const change = async (model: string, what: string) => {
    const own = client(service.port, 1)
    const headers = { authorization: 'Bearer adm1n-s3cret' }
    const { status } = await own.call('POST', `/v1/models/${model}/${what}`, { headers })
    own.close()
    return status
  }
  const ids = async (model: string) => {
    const answers = await everywhere('/v1/tokenize', { model, text: 'a cat', add_special_tokens: true })
    return answers.map((answer) => answer.json().input_ids)
  }

  test('after an unload reads weights and tokenizer anew, on each thread', async () => {
    const before = await ids('gpt2')
    await copyFile(new URL('llama3.json', TOKENIZERS), join(folder, 'gpt2', 'tokenizer.json'))
    expect(await change('gpt2', 'load')).toBe(200) // it is loaded: nothing changes
    expect(await ids('gpt2')).toEqual(before)
    expect([await change('gpt2', 'unload'), await change('gpt2', 'load')]).toEqual([200, 200])
    expect(await ids('gpt2')).toEqual(await ids('llama3'))
  })

  test('is not needed where a folder has changed since its tables went: the next request reads all of it anew', async () => {
    const rows = async () => {
      const body = { model: 'gpt2', text: 'a cat', outputs: ['input_ids', 'input_embeddings'] }
      const answers = await everywhere('/v1/input-embeddings', body)
      return answers.map((answer) => answer.json().outputs)
    }
    const [before] = await rows()
    expect(await change('gpt2', 'unload')).toBe(200)
    await copyFile(new URL('gpt2.json', TOKENIZERS), join(folder, 'gpt2', 'tokenizer.json'))
    const after = await rows()
    expect(after[0].input_ids).not.toEqual(before.input_ids)
    expect(after).toEqual(Array(12).fill(after[0]))
    for (const [i, id] of after[0].input_ids.data[0].entries())
      expect(after[0].input_embeddings.data[0][i]).toEqual(Array(WIDTH).fill(id))
  })

  test('takes a folder that has appeared, and refuses one that there is not', async () => {
    await writeModel('later')
    expect((await everywhere('/v1/tokenize', { model: 'later', text: 'a' }))[0].status).toBe(404)
    expect(await change('later', 'load')).toBe(200)
    const answers = await everywhere('/v1/input-embeddings', { model: 'later', input_ids: [7] })
    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200))
    expect(await change('never', 'load')).toBe(404)
  })
})
