import '../built.js'
import { Readable } from 'node:stream'
import { expect, test } from 'vitest'
import { CommandError } from '../../src/cli/exit.js'
import { LocalModels, localConfig } from '../../src/cli/local-models.js'
import { FORMATS } from '../../src/wire/formats/registry.js'

const SMALL = { EMBEDDING_DIM: '8', TF_BACKEND: 'cpu' }

/** The embeddings of a text, by models in this process. */
async function embed(env: NodeJS.ProcessEnv, text: string, bytes?: number) {
  const local = await LocalModels.open({ ...SMALL, ...env })
  const [format] = FORMATS
  const { signal } = new AbortController()
  return local.embed({
    query: '',
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
