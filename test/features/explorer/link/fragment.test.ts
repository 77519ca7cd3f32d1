import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fragmentOf,
  known,
  LinkError,
  pack,
  readFragment,
} from '../../../../src/features/explorer/page/link.js'
import { presets, type Recipe } from '../../../../src/features/explorer/page/recipe.js'
import { checkProperty } from '../../../property.js'

const count = fc.nat()
const recipes = fc.record(
  {
    text: fc.string({ unit: 'grapheme', maxLength: 200 }),
    documents: fc.constantFrom('one', 'lines', 'ids'),
    batch_size: count,
    batch_index: count,
    model: fc.string(),
    context_length: count,
    stride: count,
    tail: fc.constantFrom('drop', 'pad'),
    shuffle: fc.boolean(),
    seed: fc.integer(),
    position_embedding: fc.record({ type: fc.constantFrom('rope', 'alibi'), head_dim: count }),
    position_offset: count,
  },
  { requiredKeys: ['text', 'documents', 'batch_size', 'batch_index'] },
)

/** The fragment of any JSON, as a hand that means harm would make it. */
const forged = async (json: unknown) => `#v1=${await pack(JSON.stringify(json))}`

describe('the link', () => {
  it('gives back every recipe and step, by letters that an address takes as they are', async () => {
    await checkProperty(
      fc.asyncProperty(recipes, fc.option(count, { nil: undefined }), async (recipe, step) => {
        const { fragment, hasText } = await fragmentOf(recipe as Recipe, step)
        expect(hasText).toBe(true)
        expect(fragment).toMatch(/^#v1=[\w-]+$/)
        expect(await readFragment(fragment)).toEqual({ recipe, step })
      }),
      100,
    )
  })

  it('leaves a text away that would make it longer than 8 KB, and marks that', async () => {
    const text = Array.from({ length: 9000 }, (_, at) =>
      String.fromCodePoint(0x4e00 + ((at * 7919) % 20000)),
    ).join('')
    const { fragment, hasText } = await fragmentOf({ ...presets[1].recipe, text })
    expect(hasText).toBe(false)
    expect(fragment.length).toBeLessThan(300)
    const { text: _, ...others } = presets[1].recipe
    expect((await readFragment(fragment))?.recipe).toEqual(others)
  })

  it('carries a long preset by its name', async () => {
    const long = presets.find(({ name }) => name === '100,000 tokens')?.recipe as Recipe
    const { fragment, hasText } = await fragmentOf({ ...long, stride: 64 })
    expect(hasText).toBe(true)
    expect(fragment.length).toBeLessThan(8192)
    expect((await readFragment(fragment))?.recipe).toEqual({ ...long, stride: 64 })
    expect(known({ ...long })).toBe(long)
    expect(known({ ...long, stride: 64 })).not.toBe(long)
  })

  it('reports a later version as one', async () => {
    await expect(readFragment('#v2=abc')).rejects.toThrow('of version 2; this page reads version 1')
  })

  it('leaves other fragments alone', async () => {
    for (const fragment of ['', '#', '#tokens', '#v1', '#version=1']) {
      expect(await readFragment(fragment)).toBeUndefined()
    }
  })

  it('reports a broken link as broken, for any fragment', async () => {
    const { fragment } = await fragmentOf(presets[0].recipe)
    await expect(readFragment(fragment.slice(0, -9))).rejects.toThrow(LinkError)
    await expect(readFragment('#v1=%%%')).rejects.toThrow('This link is broken')
    await checkProperty(
      fc.asyncProperty(fc.base64String(), async (letters) => {
        await expect(readFragment(`#v1=${letters}`)).rejects.toThrow(LinkError)
      }),
      100,
    )
  })

  it.each([
    ['no object', 7],
    ['a text that is none', { recipe: { text: { toString: 1 } } }],
    ['documents that the page has not', { recipe: { documents: 'all' } }],
    ['a length below 0', { recipe: { context_length: -1 } }],
    ['a batch of a fraction', { recipe: { batch_size: 1.5 } }],
    ['a scheme without a type', { recipe: { position_embedding: { head_dim: 4 } } }],
    ['an option that is an object', { recipe: { position_embedding: { type: 'rope', scaling: {} } } }],
  ])('refuses %s', async (_, json) => {
    await expect(readFragment(await forged(json))).rejects.toThrow(LinkError)
  })

  it('leaves out what this page does not know', async () => {
    const shared = await readFragment(
      await forged({ recipe: { text: 'a', colour: 'red', api_key: 'k' }, more: 1 }),
    )
    expect(shared).toEqual({ recipe: { text: 'a', documents: 'one', batch_size: 8, batch_index: 0 } })
  })

  it('does not unpack a small link that holds very much', async () => {
    const bomb = await forged({ recipe: { text: 'a'.repeat(50_000_000) } })
    expect(bomb.length).toBeLessThan(100_000)
    await expect(readFragment(bomb)).rejects.toThrow(LinkError)
  })
})
