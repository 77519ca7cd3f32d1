import { readFileSync } from 'node:fs'
import { cp, mkdir, rename } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { modelFromFolder } from '../../../src/index.js'
import { folderEntries } from '../../../src/models/folders.js'
import { ModelsFolder } from '../../checkpoints/folders.js'
import { hasRustLibrary } from '../../first-layer/tokens/rust-library.js'
import { post, type TestService, testService } from '../../helper.js'

const file = (name: string) => JSON.parse(readFileSync(`test/goldens/tokenizers/${name}.json`, 'utf8'))
const bytes = file('gpt2')
/** Whole words are the Rust library's alone. */
const foreign = { ...bytes, added_tokens: [...bytes.added_tokens, word('qqq')] }
const CONFIG = { hidden_size: 4 }
const CARD = { embedding_dim: 4 }
const COMMIT = 'a'.repeat(40)

function word(content: string) {
  return {
    id: 90_000,
    content,
    single_word: true,
    lstrip: false,
    rstrip: false,
    normalized: false,
    special: false,
  }
}

describe.skipIf(!hasRustLibrary)('the tokenizer of a folder', () => {
  let folder: ModelsFolder
  let service: TestService
  beforeAll(async () => {
    folder = await ModelsFolder.make()
    const chat = {
      chat_template: '{{ bos_token }}{% for m in messages %}{{ m.role }}: {{ m.content }}\n{% endfor %}',
      bos_token: '<s>',
    }
    await folder.write('byte', { 'tokenizer.json': foreign, 'config.json': CONFIG })
    await folder.write('blanks', {
      'tokenizer.json': file('sentencepiece-bpe'),
      'tokenizer_config.json': chat,
      'inlet.json': CARD,
    })
    await folder.write('unigram', { 'tokenizer.json': file('unigram'), 'inlet.json': CARD })
    await folder.write('kernel', { 'tokenizer.json': bytes, 'inlet.json': CARD })
    await folder.write('words', { 'tokenizer.json': file('wordpiece-cased'), 'inlet.json': CARD })
    const padded = { pad_token: '<0x00>', eos_token: null }
    await folder.write('padded', {
      'tokenizer.json': file('sentencepiece-bpe'),
      'tokenizer_config.json': padded,
      'config.json': CONFIG,
    })
    const { padding } = {
      padding: {
        strategy: 'BatchLongest',
        direction: 'Right',
        pad_to_multiple_of: null,
        pad_id: 7,
        pad_type_id: 0,
        pad_token: 'x',
      },
    }
    await folder.write('padding', {
      'tokenizer.json': { ...bytes, padding },
      'config.json': CONFIG,
      'inlet-source.json': { commit: COMMIT },
    })
    await folder.write('stated', {
      'tokenizer.json': { ...bytes, padding },
      'config.json': { ...CONFIG, eos_token_id: 3 },
    })
    service = await testService({}, { folders: await folder.entries(), hasDatasets: true })
  })
  afterAll(async () => {
    await service.close()
    await folder.remove()
  })

  const texts = async (model: string, text: string) =>
    (await post(service, '/v1/tokenize', { model, text }))
      .json()
      .tokens.map((token: { text: string }) => token.text)
  const describeModel = async (id: string) => (await service.app.inject(`/v1/models/${id}`)).json()

  test('gives each token’s bytes as text, or null, whatever encodes', async () => {
    const text = 'the 日本 é🦙'
    expect(await texts('byte', text)).toEqual(await texts('kernel', text))
    expect(await texts('byte', text)).toContain(null)
    expect(await texts('byte', 'a qqq')).toContain('qqq')
    const blanks = await texts('blanks', ' the ☃')
    expect(blanks.join('')).not.toContain('▁')
    expect(blanks.filter((each: string | null) => each === null).length).toBeGreaterThanOrEqual(3) // of ☃
    expect((await texts('unigram', ' the')).join('')).toMatch(/^ +the$/)
    expect((await texts('words', 'Running')).slice(1).every((each: string) => each.startsWith('##'))).toBe(
      true,
    )
  })

  test('makes texts of several lists of ids, each as it is alone, and without special tokens where asked', async () => {
    for (const model of ['kernel', 'blanks', 'unigram', 'words']) {
      const inputs = ['the cat', 'sat on', 'a'].map((text) => ({ model, text, add_special_tokens: true }))
      const lists: number[][] = []
      for (const body of inputs) lists.push((await post(service, '/v1/tokenize', body)).json().input_ids)
      for (const skip_special_tokens of [false, true]) {
        const one: object[] = []
        for (const input_ids of lists)
          one.push((await post(service, '/v1/detokenize', { model, input_ids, skip_special_tokens })).json())
        const answer = await post(service, '/v1/detokenize', { model, input_ids: lists, skip_special_tokens })
        expect(answer.json()).toEqual({ documents: one })
        expect(answer.headers['content-length']).toBe(String(answer.body.length))
      }
    }
    const special = (await describeModel('kernel')).special_tokens
    const [literal, id] = Object.entries(special)[0] as [string, number]
    const asked = { model: 'kernel', input_ids: [35, id, 36] }
    expect((await post(service, '/v1/detokenize', asked)).json().text).toContain(literal)
    const skipped = (await post(service, '/v1/detokenize', { ...asked, skip_special_tokens: true })).json()
    expect(skipped).toEqual((await post(service, '/v1/detokenize', { ...asked, input_ids: [35, 36] })).json())
    const none = { ...asked, input_ids: [[id], [35]], skip_special_tokens: true }
    expect((await post(service, '/v1/detokenize', none)).json().documents[0]).toEqual({
      text: '',
      lossy: false,
    })
    const wrong = { ...none, input_ids: [[id], [id, 35, 2 ** 40]] }
    expect((await post(service, '/v1/detokenize', wrong)).json().error).toMatchObject({
      ...{ code: 'token_out_of_range', param: 'input_ids.1.2' },
      message: expect.stringMatching(/`input_ids\.1\.2` must be a token .* Given: 1099511627776$/),
    })
  })

  test('pads with the id that the folder names, in datasets too', async () => {
    const { model, added_tokens } = file('sentencepiece-bpe')
    expect(added_tokens.length).toBeGreaterThan(0)
    const id = model.vocab['<0x00>']
    expect((await describeModel('padded')).pad_token_id).toBe(id)
    expect((await describeModel('padding')).pad_token_id).toBe(7)
    expect((await describeModel('stated')).pad_token_id).toBe(3)
    const upload = await service.app.inject({
      ...{ method: 'POST', url: '/v1/datasets?model=padded', payload: 'the cat' },
      headers: { 'content-type': 'text/plain' },
    })
    const batch = `/v1/datasets/${upload.json().id}/batches/0?context_length=64&batch_size=1&packing=best_fit`
    const rows = (await service.app.inject(batch)).json().outputs.input_ids.data
    expect(rows[0].at(-1)).toBe(id)
  })

  test('is known by a hash of its files and the commit of its download', async () => {
    const [kernel, padding, byte] = await Promise.all(['kernel', 'padding', 'byte'].map(describeModel))
    expect(kernel.tokenizer_sha256).toMatch(/^[0-9a-f]{64}$/)
    expect(new Set([kernel, padding, byte].map((each) => each.tokenizer_sha256)).size).toBe(3)
    expect([kernel.revision, padding.revision]).toEqual([null, COMMIT])
    const encoding = await describeModel('default')
    expect([encoding.tokenizer_sha256, encoding.revision]).toEqual([null, null])

    const cache = await ModelsFolder.make()
    const snapshots = join(cache.path, 'models--a--b', 'snapshots')
    await mkdir(snapshots, { recursive: true })
    await cp(join(folder.path, 'kernel'), join(cache.path, 'kernel'), { recursive: true })
    await rename(join(cache.path, 'kernel'), join(snapshots, 'b'.repeat(40)))
    const other = await testService(
      {},
      {
        folders: await folderEntries(
          { MODELS_DIR: undefined, MODELS: [{ name: 'm', path: join(snapshots, 'b'.repeat(40)) }] },
          () => {},
        ),
      },
    )
    const answer = (await other.app.inject('/v1/models/m')).json()
    expect([answer.tokenizer_sha256, answer.revision]).toEqual([kernel.tokenizer_sha256, 'b'.repeat(40)])
    await other.close()
    await cache.remove()
  })

  test('renders a chat in the library as the service does', async () => {
    const model = await modelFromFolder(join(folder.path, 'blanks'))
    const messages = [{ role: 'user', content: 'the cat' }]
    const text = model.render(messages)
    expect(text).toBe('<s>user: the cat\n')
    const ids = [...(await model.tokenize(text, { allowed_special: 'all' }))]
    expect((await post(service, '/v1/tokenize', { model: 'blanks', messages })).json().input_ids).toEqual(ids)
    const template = { chat_template: '{{ n }} {{ tools[0].name }} {{ n is integer }}' }
    expect(
      model.render(messages, { ...template, tools: [{ name: 'f' }], chat_template_kwargs: { n: 3 } }),
    ).toBe('3 f True')
    expect(() => model.render([])).toThrow(expect.objectContaining({ code: 'empty_input' }))
    expect(() => model.render(messages, { chat_template: "{{ raise_exception('no') }}" })).toThrow(
      expect.objectContaining({ code: 'template_failed' }),
    )
    model.dispose()
  })
})
