import '../built.js'
import { Readable } from 'node:stream'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { LocalModels, localConfig } from '../../src/cli/local-models.js'
import { CommandError } from '../../src/cli/program.js'
import { FORMATS } from '../../src/service/answer/formats/registry.js'

const SMALL = { EMBEDDING_DIM: '8', TF_BACKEND: 'cpu' }

/** The embeddings of a text, by models in this process. */
async function embed(env: NodeJS.ProcessEnv, text: string, bytes?: number, model?: string) {
  const local = await LocalModels.open({ ...SMALL, ...env }, 1, model)
  const [format] = FORMATS
  const { signal } = new AbortController()
  return local.embed({
    query: model === undefined ? '' : `model=${encodeURIComponent(model)}`,
    format,
    stream: Readable.from([Buffer.from(text)]),
    bytes,
    sent() {},
    signal,
  })
}

test('a command has no limits but those that the environment sets', () => {
  const off = {
    MAX_BODY_BYTES: 2 ** 40,
    MAX_RESPONSE_BYTES: 2 ** 40,
    MAX_JSON_RESPONSE_BYTES: 2 ** 40,
  }
  expect(localConfig({})).toMatchObject(off)
  const env = { MAX_BODY_BYTES: '1000', THREADS: '8', PORT: '80', REQUIRE_KEYS: '1', API_KEYS: 'a:b' }
  expect(localConfig(env)).toMatchObject({ ...off, MAX_BODY_BYTES: 1000, THREADS: 1, PORT: 8000 })
})

test.each([
  ['a text of known length', 'four', 4, 'The body must be at most 3 bytes. Given: 4'],
  ['a text that comes', 'four', undefined, 'The body must be at most 3 bytes. Given: more'],
  ['an empty text', '', undefined, '`text` must not be empty. Given: an empty body'],
  [
    'an answer',
    'abc',
    undefined,
    /^The answer as application\/json must be at most 9 bytes\. It would be \d+ bytes\.$/,
  ],
])('%s beyond a bound is refused as the service refuses it', async (_, text, bytes, message) => {
  const env = { MAX_BODY_BYTES: '3', MAX_JSON_RESPONSE_BYTES: '9' }
  await expect(embed(env, text, bytes)).rejects.toThrow(message)
})

test.each([
  [{ EMBEDDING_DIM: '1000000' }, /4 GiB|MAX_TABLE_BYTES/],
  [{ ENCODING: 'gpt9' }, /^ENCODING must be/],
])('%j is refused in one line that names the variable', async (env, message) => {
  await expect(LocalModels.open(env)).rejects.toThrow(CommandError)
  await expect(LocalModels.open(env)).rejects.toThrow(message)
})

test('a model may be a folder, and one that is refused says what it lacks', async () => {
  const gpt2 = fileURLToPath(new URL('../goldens/models/gpt2', import.meta.url))
  await expect(embed({}, 'a', 1, gpt2)).rejects.toThrow('The folder has no tokenizer.json.')
  const none = fileURLToPath(new URL('../goldens/models', import.meta.url))
  await expect(embed({}, 'a', 1, none)).rejects.toThrow('config.json: is missing')
  await expect(embed({}, 'a', 1, 'nowhere')).rejects.toThrow('must be one of "default"')
})
