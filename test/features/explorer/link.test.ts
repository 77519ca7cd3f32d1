import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import {
  fragmentOf,
  presets,
  type Recipe,
  readFragment,
  recipeOf,
} from '../../../src/features/explorer/page/recipe.js'
import { checkProperty } from '../../property.js'

const count = fc.nat()
const recipes = fc.record(
  {
    text: fc.string({ unit: 'grapheme', maxLength: 200 }),
    documents: fc.constantFrom('one', 'lines', 'ids'),
    batch_size: count,
    batch_index: count,
    model: fc.string({ minLength: 1 }),
    context_length: count,
    stride: count,
    tail: fc.constantFrom('drop', 'pad'),
    seed: fc.integer(),
    position_embedding: fc.constantFrom('rope', 'alibi'),
    position_offset: count,
  },
  { requiredKeys: ['text', 'documents', 'batch_size', 'batch_index'] },
)

describe('the link', () => {
  it('gives back every recipe and step, by letters that an address takes as they are', async () => {
    await checkProperty(
      fc.property(recipes, fc.option(count, { nil: undefined }), (recipe, step) => {
        const fragment = fragmentOf(recipe as Recipe, step)
        expect(fragment).toMatch(/^#[\w.%+*=&-]+$/)
        expect(readFragment(fragment)).toEqual({ recipe, step })
      }),
      100,
    )
  })

  it('leaves a text away that would make it longer than 8 KB', () => {
    const fragment = fragmentOf({ ...presets[1].recipe, text: '漢'.repeat(3000) })
    expect(fragment.length).toBeLessThan(300)
    const { text: _, ...others } = presets[1].recipe
    expect(readFragment(fragment)?.recipe).toEqual(others)
  })

  it('carries a long preset by its name', () => {
    const recipe = { ...presets[5].recipe, stride: 64 }
    const fragment = fragmentOf(recipe)
    expect(fragment.length).toBeLessThan(300)
    expect(readFragment(fragment)?.recipe).toEqual(recipe)
  })

  it('leaves other fragments alone, and fields that the page does not know', () => {
    for (const fragment of ['', '#', '#tokens', '#v1=abc']) {
      expect(readFragment(fragment)).toBeUndefined()
    }
    expect(readFragment('#text=a+cat&colour=red&stride=2')).toEqual({
      recipe: { text: 'a cat', documents: 'one', batch_size: 8, batch_index: 0, stride: 2 },
      step: undefined,
    })
  })
})

it('reads a form: an empty field is absent, but for the text', () => {
  const form: [string, string][] = [
    ['text', ''],
    ['documents', 'ids'],
    ['stride', ''],
    ['batch_size', '2'],
  ]
  expect(recipeOf(form)).toEqual({ text: '', documents: 'ids', batch_size: 2, batch_index: 0 })
})
