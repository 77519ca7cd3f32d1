import '../built.js'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { localModel } from '../../src/cli/local-models.js'
import { run } from './run-here.js'

const SMALL = { EMBEDDING_DIM: '8', TF_BACKEND: 'cpu' }

/** Why the embeddings of a text, by models in this process, are refused. */
async function refusal(env: Record<string, string>, text: string, ...flags: string[]): Promise<string> {
  const { code, stderr } = await run(['embed', '-', '--quiet', ...flags], { ...SMALL, ...env }, text)
  expect(code).toBe(1)
  return stderr
}

test.each([
  ['a text', 'four', 'The body must be at most 3 bytes. Given: more'],
  ['an empty text', '', '`text` must not be empty. Given: an empty body'],
  [
    'an answer',
    'abc',
    /The answer as application\/json must be at most 9 bytes\. It would be \d+ bytes\.\n$/,
  ],
])('%s beyond a bound of the environment is refused as the service refuses it', async (_, text, message) => {
  const env = { MAX_BODY_BYTES: '3', MAX_JSON_RESPONSE_BYTES: '9' }
  expect(await refusal(env, text)).toMatch(message)
})

test('a file that is too long is refused before it is read', async () => {
  const file = fileURLToPath(import.meta.url)
  const { code, stderr } = await run(['embed', file, '--quiet'], { ...SMALL, MAX_BODY_BYTES: '3' })
  expect([code, stderr]).toEqual([1, expect.stringMatching(/must be at most 3 bytes\. Given: \d+\n$/)])
})

test.each([
  [{ EMBEDDING_DIM: '1000000' }, /4 GiB|MAX_TABLE_BYTES/],
  [{ MAX_TABLE_BYTES: '1000' }, /^All tables together must be at most 1000 bytes, MAX_TABLE_BYTES/],
  [{ ENCODING: 'gpt9' }, /^ENCODING must be/],
])('%j is refused in one line that names the variable', async (env, message) => {
  await expect(localModel(undefined, 1, { ...SMALL, ...env })).rejects.toThrow(message)
})

test('a wrong limit is refused in one line too', async () => {
  expect(await refusal({ MAX_BODY_BYTES: 'x' }, 'a')).toMatch(/^inlet: MAX_BODY_BYTES must be an integer/)
})

test('a model may be a folder, and one that is refused says what it lacks', async () => {
  const gpt2 = fileURLToPath(new URL('../goldens/models/gpt2', import.meta.url))
  expect(await refusal({}, 'a', '--model', gpt2)).toContain('The folder has no tokenizer.json.')
  const none = fileURLToPath(new URL('../goldens/models', import.meta.url))
  expect(await refusal({}, 'a', '--model', none)).toContain('config.json: is missing')
  expect(await refusal({}, 'a', '--model', 'nowhere')).toContain(
    'must be a folder of a model, or one of default',
  )
})
