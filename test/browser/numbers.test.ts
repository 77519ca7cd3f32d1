import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { presets } from '../../src/features/explorer/page/recipe.js'
import { inChromium, type Room } from './in-chromium.js'
import { numberOf, tableOf } from './table-of.js'

const CAT = { text: ['The cat sat on the mat', 'On the mat the cat sat'] }
const NOTEBOOK = { text: presets[2].recipe.text, context_length: 4, stride: 4, batch_size: 8, batch_index: 0 }
/** The target of a place that no token comes after. */
const NO_TARGET = -100

const ROWS = ['input_embeddings', 'token_embeddings', 'position_embeddings']

/** A text or ids as a call sends them, with the recipe's fields. */
interface Asked {
  readonly text?: string | readonly string[]
  readonly input_ids?: readonly number[]
  readonly model?: string
  readonly context_length?: number
}

inChromium('numbers on screen', (room) => {
  it.each<[string, Asked]>([
    ['The cat moves', CAT],
    ['The notebook: 8 × 4 × 256', NOTEBOOK],
    ['The book’s 6 × 3 table', { input_ids: [2, 3, 5, 1], model: 'tiny' }],
  ])('of “%s”: every row, target and sum is the served one', async (preset, call) => {
    const { page, begin, complaints } = await room.open()
    await begin(preset)
    const { outputs } = await embedded(room, {
      ...call,
      outputs: ['input_ids', 'target_ids', ...ROWS],
    })
    const { input_embeddings, token_embeddings, position_embeddings, input_ids, target_ids } = outputs
    expect((await tableOf(page, 'Input embeddings')).numbers).toEqual(input_embeddings.data[0])
    expect((await tableOf(page, 'Token rows')).numbers).toEqual(token_embeddings.data[0])
    expect((await tableOf(page, 'Position rows')).numbers).toEqual(position_embeddings.data)
    expect((await tableOf(page, 'Position rows of the window')).numbers).toEqual(position_embeddings.data)
    const slots = await slotsOf(page)
    expect(slots.map(({ id }) => id)).toEqual(input_ids.data.flat())
    const texts = await textsOf(room, call, target_ids.data.flat())
    expect(slots.map(({ target }) => target)).toEqual(texts)
    expect(await page.textContent('#sum + .arrow')).toBe(
      `[${['B', 'T', 'C'].map((axis, index) => `${axis} ${input_embeddings.shape[index]}`).join(', ')}]`,
    )
    expect(complaints).toEqual([])
  })

  it('writes a cell’s sum, and the cosines of a word at two positions, from the served rows', async () => {
    const { page, settled } = await room.open()
    const { outputs } = await embedded(room, { ...CAT, outputs: ROWS })
    await page.click('[data-slot="1 4"]')
    await settled()
    const shown = async (selector: string) => numberOf(await page.textContent(selector))
    expect(await shown('.sum-value')).toBe(outputs.input_embeddings.data[1][4][0])
    expect(await shown('.token-value')).toBe(outputs.token_embeddings.data[1][4][0])
    expect(await shown('.position-value')).toBe(outputs.position_embeddings.data[4][0])
    const [cat, again] = [outputs.input_embeddings.data[0][1], outputs.input_embeddings.data[1][4]]
    const cosines = await page.locator('#same-word .measure b').allTextContents()
    expect(cosines).toEqual(['1.000', cosine(cat, again).toFixed(3)])
  })

  it('numbers the tokens as the tokenizer does, also those that are parts of a character', async () => {
    const { page, begin } = await room.open()
    await begin('Emoji and हिन्दी')
    const { text } = presets[4].recipe
    const { input_ids } = await room.ask('v1/tokenize', { text })
    const ids = await page.locator('#tokens .strip .id').allTextContents()
    expect(ids.map(Number)).toEqual(input_ids)
    const [arrow] = await page.locator('#tokens + .arrow').allTextContents()
    expect(arrow).toBe(`${input_ids.length} ids from ${[...text].length} characters`)
  })

  it('gives the table’s rows beside the selected one', async () => {
    const { page } = await room.open()
    const near = [3795, 3796, 3797, 3798, 3799]
    const { outputs } = await embedded(room, {
      input_ids: near,
      position_embedding: 'none',
      outputs: ['token_embeddings'],
    })
    const table = await tableOf(page, 'Rows of the table')
    expect(table.rowNames.map((name) => Number.parseInt(name, 10))).toEqual(near)
    expect(table.numbers).toEqual(outputs.token_embeddings.data[0])
  })

  it.each([
    ['sinusoidal', 'Position rows of the window', 'position_embeddings'],
    ['rope', 'cos', 'cos'],
    ['alibi', 'position_bias, head 0', 'position_bias'],
    ['t5', 'relative_position_bucket', 'relative_position_bucket'],
  ])('draws %s from the numbers that the service gives for it', async (scheme, name, output) => {
    const { page, settled } = await room.open()
    await page.selectOption('[id="field-position_embedding"]', scheme)
    await settled()
    const path = `v1/models/default/position-embeddings?position_embedding=${scheme}&context_length=32`
    const { outputs } = await room.ask(path)
    const { data } = outputs[output]
    const { numbers } = await tableOf(page, name)
    const matrix: number[][] = Array.isArray(data[0][0]) ? data[0] : data
    expect(numbers).toEqual(matrix.map((row) => row.map(Number)))
  })
})

function embedded({ ask }: Room, body: object) {
  return ask('v1/input-embeddings', body)
}

/** Ids and targets of the windows on screen. */
function slotsOf(page: Page): Promise<{ id: number; target: string }[]> {
  return page.$$eval('[data-slot]', (slots) =>
    slots.map((slot) => ({
      id: Number(slot.getAttribute('aria-label')?.match(/id (\d+)$/)?.[1]),
      target: slot.querySelector('.target')?.textContent ?? '',
    })),
  )
}

/** The texts of targets, with the page's signs for spaces. */
function textsOf({ ask }: Room, { model }: Asked, ids: number[]): Promise<string[]> {
  return Promise.all(
    ids.map(async (id) => {
      if (id === NO_TARGET) return 'no target'
      const { text } = await ask('v1/detokenize', { input_ids: [id], model })
      return text.replaceAll(' ', '·').replaceAll('\n', '↵')
    }),
  )
}

function cosine(a: number[], b: number[]): number {
  const product = (x: number[], y: number[]) => x.reduce((sum, each, index) => sum + each * y[index], 0)
  return product(a, b) / Math.sqrt(product(a, a) * product(b, b))
}
