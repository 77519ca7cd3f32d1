import '../../../built.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Inlet, OutputName } from '../../../../clients/typescript/src/index.js'
import { embeddingsFields, loadAnswer } from '../../../../src/features/explorer/page/load.js'
import { presets, type Recipe } from '../../../../src/features/explorer/page/recipe.js'
import { outputsOf, type Source, snippetOf, WAYS } from '../../../../src/features/explorer/page/take.js'
import { listen, type TestService, testService } from '../../../helper.js'
import { checkProperty } from '../../../property.js'
import { injectedClient } from '../injected.js'
import { runShell } from './run-snippet.js'

const batch = { batch_size: 2, batch_index: 0 }
const EMBEDDINGS = 'input_embeddings'

let service: TestService
let client: Inlet
let source: Source
beforeAll(async () => {
  service = await testService()
  client = injectedClient(service)
  source = { service: `http://127.0.0.1:${await listen(service)}/`, needsKey: false }
})
afterAll(() => service.close())

/** Runs the lines for curl: they make the same tensor as the service, byte for byte. */
async function expectSame(recipe: Recipe, output: OutputName = EMBEDDINGS): Promise<void> {
  const answer = await loadAnswer(client, recipe)
  const snippet = snippetOf('curl', answer, output, source)
  const made = await runShell(snippet, output)
  const tensors = await client.inputEmbeddings(embeddingsFields(recipe, [output]))
  const { dtype, shape, data } = tensors.get(output)!
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  expect(made).toMatchObject({ dtype, shape })
  expect(made.bytes.equals(bytes), output).toBe(true)
}

/** Characters that mean something to a shell, a string or a text. */
const hostile = fc.string({
  unit: fc.constantFrom(
    ...[
      "'",
      '"',
      '\\',
      '\n',
      '\t',
      '\r',
      '\0',
      '\u001b',
      '\u007f',
      '$',
      '`',
      '!',
      '%s',
      '#',
      '&',
      ';',
      '|',
      '*',
    ],
    ...[
      '$(exit 3)',
      '$' + '{HOME}',
      "'''",
      "\\'",
      '\\u0041',
      '\\n',
      '\u2028',
      '🐈',
      'é',
      '</script>',
      '@',
      '-',
      ' ',
      'a',
    ],
  ),
  minLength: 1,
  maxLength: 12,
})

describe('lines to take along give the tensor on screen, bit for bit', () => {
  it('curl, of any text', async () => {
    await checkProperty(
      fc.asyncProperty(hostile, async (text) => {
        await expectSame({ text, documents: 'one', ...batch })
      }),
      8,
    )
  })

  const windows = { context_length: 4, stride: 2, tail: 'pad', position_offset: 3 } as const
  const text = 'The cat sat on the mat, and on the mat sat the cat. On the mat the cat sat.'
  const recipes: [string, Recipe][] = [
    ['windows, a later batch', { text, documents: 'one', ...windows, batch_size: 2, batch_index: 1 }],
    ['a shuffled loader', { text, documents: 'one', context_length: 4, seed: 7, ...batch }],
    ['another scheme', { text, documents: 'one', position_embedding: 'sinusoidal', ...batch }],
    [
      'a text that no command can hold',
      { text: text.repeat(2000), documents: 'one', context_length: 8, ...batch },
    ],
  ]
  it.each(recipes)('curl, of %s', async (_, recipe) => {
    await expectSame(recipe)
  })

  it('curl, of several texts, and of ids', async () => {
    const lines = { ...presets[0].recipe, text: `"it's"\n$HOME \\` }
    for (const recipe of [lines, { text: '2 3 5 1', documents: 'ids', ...batch } as const]) {
      await expectSame(recipe)
    }
  })

  it('curl, of several long texts', async () => {
    const long = Array.from({ length: 20 }, () => text.repeat(10)).join('\n')
    await expectSame({ text: long, documents: 'lines', context_length: 4, ...batch })
  })

  it('curl, of every tensor that the scheme has', async () => {
    const recipe: Recipe = {
      text: 'a cat',
      documents: 'one',
      position_embedding: 't5',
      ...batch,
    }
    const answer = await loadAnswer(client, recipe)
    const outputs = outputsOf(answer)
    expect(outputs).toContain('relative_position_bucket')
    for (const output of outputs) await expectSame(recipe, output)
  })
})

describe('lines to take along', () => {
  it('for curl read the key from the environment and never have it', async () => {
    const locked = await testService({ API_KEYS: 'me:sesame' })
    try {
      const answer = await loadAnswer(client, { text: 'a cat', documents: 'one', ...batch })
      const address = `http://127.0.0.1:${await listen(locked)}/`
      const snippet = snippetOf('curl', answer, EMBEDDINGS, { ...source, service: address, needsKey: true })
      const env = { INLET_API_KEY: 'sesame' }
      const made = await runShell(snippet, EMBEDDINGS, env)
      expect(made.shape).toEqual([1, 2, 8])
      expect(JSON.stringify(snippet)).toContain('INLET_API_KEY')
    } finally {
      await locked.close()
    }
  })

  it('keep the prefix of the page’s path', async () => {
    const answer = await loadAnswer(client, presets[0].recipe)
    for (const way of WAYS.filter((each) => each !== 'PyTorch')) {
      const snippet = snippetOf(way, answer, EMBEDDINGS, { ...source, service: 'https://host/a/b/' })
      expect(JSON.stringify(snippet)).toContain('https://host/a/b/v1/input-embeddings')
    }
  })
})
