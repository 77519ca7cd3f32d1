import '../../built.js'
import fc from 'fast-check'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Model } from '../../../clients/typescript/src/index.js'
import { loadAnswer } from '../../../src/explorer/answer/load.js'
import type { Calls } from '../../../src/explorer/calls.js'
import { embeddingsFields } from '../../../src/explorer/recipe/calls.js'
import { presets } from '../../../src/explorer/recipe/presets.js'
import type { Recipe } from '../../../src/explorer/recipe/recipe.js'
import { outputsOf, type TakenOutput } from '../../../src/explorer/take/outputs.js'
import { type Source, snippetOf, WAYS, type Way } from '../../../src/explorer/take/snippets.js'
import { listen, type TestService, testService } from '../../helper.js'
import { checkProperty } from '../../property.js'
import { injectedClient, modelIn } from '../injected.js'
import { runShell, runTypeScript } from './run-snippet.js'

const batch = { batch_size: 2, batch_index: 0 }
const EMBEDDINGS: TakenOutput = { name: 'input_embeddings', isInteger: false }
const RUN = ['curl', 'TypeScript', 'inlet embed'] as const

let service: TestService
let client: Calls
let source: Source
let models: readonly Model[]
beforeAll(async () => {
  service = await testService()
  client = injectedClient(service)
  models = (await client.models()).data
  source = { service: `http://127.0.0.1:${await listen(service)}/`, needsKey: false, model: models[0] }
})
afterAll(() => service.close())

/** Runs the lines of a way: what they make is the service's tensor, byte for byte. */
async function expectSame(way: Way, recipe: Recipe, output = EMBEDDINGS): Promise<void> {
  const answer = await loadAnswer(client, recipe, modelIn(models))
  const snippet = snippetOf(way, answer, output, source)
  const made = way === 'TypeScript' ? await runTypeScript(snippet) : await runShell(snippet, output.name)
  const tensors = await client.inputEmbeddings(embeddingsFields(recipe, [output.name]))
  const { dtype, shape, data } = tensors.get(output.name)!
  const bytes = Buffer.from(data.buffer, data.byteOffset, data.byteLength)
  expect(made).toMatchObject({ dtype, shape })
  expect(made.bytes.equals(bytes), `${way}: ${output.name}`).toBe(true)
}

/** What a shell, a string or a text may take for something else. */
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
  it.each(RUN)('%s, of any text', async (way) => {
    await checkProperty(
      fc.asyncProperty(hostile, async (text) => {
        await expectSame(way, { text, documents: 'one', ...batch })
      }),
      8,
    )
  })

  const windows = { context_length: 4, stride: 2, tail: 'pad', position_offset: 3 } as const
  const text = 'The cat sat on the mat, and on the mat sat the cat. On the mat the cat sat.'
  const recipes: [string, Recipe][] = [
    ['windows, a later batch', { text, documents: 'one', ...windows, batch_size: 2, batch_index: 1 }],
    ['a shuffled loader', { text, documents: 'one', context_length: 4, shuffle: true, seed: 7, ...batch }],
    [
      'a scheme with options',
      { text, documents: 'one', position_embedding: { type: 'sinusoidal', base: 500 }, ...batch },
    ],
    [
      'a text that no command can hold',
      { text: text.repeat(2000), documents: 'one', context_length: 8, ...batch },
    ],
  ]
  it.each(RUN.flatMap((way) => recipes.map(([name, recipe]) => [way, name, recipe] as const)))(
    '%s, of %s',
    async (way, _, recipe) => {
      await expectSame(way, recipe)
    },
  )

  it.each(['curl', 'TypeScript'] as const)('%s, of several texts, and of ids', async (way) => {
    const lines = { ...presets[0].recipe, text: `"it's"\n$HOME \\` }
    for (const recipe of [lines, { text: '2 3 5 1', documents: 'ids', ...batch } as const]) {
      await expectSame(way, recipe)
    }
  })

  it.each(['curl', 'TypeScript'] as const)('%s, of several long texts', async (way) => {
    const long = Array.from({ length: 20 }, () => text.repeat(10)).join('\n')
    await expectSame(way, { text: long, documents: 'lines', context_length: 4, ...batch })
  })

  it.each(RUN)('%s, of every tensor that the scheme has', async (way) => {
    const recipe: Recipe = {
      text: 'a cat',
      documents: 'one',
      position_embedding: { type: 't5', num_heads: 2 },
      ...batch,
    }
    const answer = await loadAnswer(client, recipe, modelIn(models))
    const outputs = outputsOf(answer)
    expect(outputs.map(({ name }) => name)).toContain('relative_position_bucket')
    for (const output of way === 'inlet embed' ? outputs.slice(2, 4) : outputs) {
      await expectSame(way, recipe, output)
    }
  })
})

describe('lines to take along', () => {
  it.each(['\0\0', 'a\r', '\u001b[2J', '\u007fa', 'a'.repeat(9000)])(
    'of inlet embed leave to a file what a terminal acts on or no command holds',
    async (text) => {
      const answer = await loadAnswer(
        client,
        { text, documents: 'one', context_length: 1, ...batch },
        modelIn(models),
      )
      const snippet = snippetOf('inlet embed', answer, EMBEDDINGS, source)
      expect(snippet).toMatchObject({ file: { name: 'text.txt', content: text } })
      expect(JSON.stringify(snippet)).toContain('inlet embed text.txt')
    },
  )

  it.each(RUN)('%s reads the key from the environment and never has it', async (way) => {
    const locked = await testService({ API_KEYS: 'me:sesame' })
    try {
      const answer = await loadAnswer(client, { text: 'a cat', documents: 'one', ...batch }, modelIn(models))
      const address = `http://127.0.0.1:${await listen(locked)}/`
      const snippet = snippetOf(way, answer, EMBEDDINGS, { ...source, service: address, needsKey: true })
      const env = { INLET_API_KEY: 'sesame' }
      const made = await (way === 'TypeScript'
        ? runTypeScript(snippet, env)
        : runShell(snippet, EMBEDDINGS.name, env))
      expect(made.shape).toEqual([1, 2, 8])
      expect(JSON.stringify(snippet)).toContain('INLET_API_KEY')
    } finally {
      await locked.close()
    }
  })

  it('of inlet embed are missing for several texts and for ids, with the reason', async () => {
    const several = await loadAnswer(client, presets[0].recipe, modelIn(models))
    expect(snippetOf('inlet embed', several, EMBEDDINGS, source)).toMatchObject({
      why: expect.stringContaining('several'),
    })
    const ids = await loadAnswer(client, { text: '2 3', documents: 'ids', ...batch }, modelIn(models))
    expect(snippetOf('inlet embed', ids, EMBEDDINGS, source)).toMatchObject({
      why: expect.stringContaining('has ids'),
    })
  })

  it('keep the prefix that the page stands behind', async () => {
    const answer = await loadAnswer(client, presets[0].recipe, modelIn(models))
    for (const way of WAYS.filter((each) => each !== 'PyTorch' && each !== 'inlet embed')) {
      const snippet = snippetOf(way, answer, EMBEDDINGS, { ...source, service: 'https://host/a/b/' })
      expect(JSON.stringify(snippet)).toContain('https://host/a/b/v1/input-embeddings')
    }
  })
})
