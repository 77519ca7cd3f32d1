import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { presets } from '../../src/features/explorer/page/recipe.js'
import { inBothHomes, type Room } from './in-chromium.js'
import { numberOf, tableOf } from './table-of.js'

const CAT = { text: ['The cat sat on the mat', 'On the mat the cat sat'] }
const NOTEBOOK = { text: presets[2].recipe.text, context_length: 4, stride: 4, batch_size: 8, batch_index: 0 }
const SECOND_PASS = { ...NOTEBOOK, batch_size: 7, shuffle: true, seed: 123, epoch: 1, drop_last: true }
/** The target of a place that no token comes after. */
const NO_TARGET = -100

const ROWS = ['input_embeddings', 'token_embeddings', 'position_embeddings']

/** A text or ids as a call sends them, with the recipe's fields. */
interface Asked {
  readonly text?: string | readonly string[]
  readonly input_ids?: readonly number[]
  readonly model?: string
  readonly context_length?: number
  readonly shuffle?: boolean
  readonly seed?: number
  readonly epoch?: number
  readonly drop_last?: boolean
}

inBothHomes('numbers on screen', (room) => {
  const calls: [string, Asked][] = [
    ['The cat moves', CAT],
    ['The notebook: 8 × 4 × 256', NOTEBOOK],
    ['The book’s 6 × 3 table', { text: ['fox jumps over dog', 'over dog jumps over'], model: 'tiny' }],
    ['A loader’s second pass', SECOND_PASS],
  ]
  it.each(calls.filter(([, { model }]) => model === undefined || !room.isOfSite))(
    'of “%s”: every row, target and sum is the served one',
    async (preset, call) => {
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
    },
  )

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

  it('names a byte’s part of a character in windows and rows by the character and the part’s number', async () => {
    const { page, begin } = await room.open()
    await begin('Emoji and हिन्दी')
    const spoken = await page.$$eval('#tokens .strip .token', (all) =>
      all.map((each) => each.getAttribute('aria-label') ?? ''),
    )
    const names = spoken.map((label) =>
      label.replace(/ \d+, token \d+$/, '').replace(/, part (\d+) of (\d+)$/, ' $1/$2'),
    )
    expect(names.filter((name) => / 1\/3$/.test(name)).join()).toContain('🐈')
    const inputs = await page.locator('#windows .input').allTextContents()
    expect(inputs).toEqual(names.slice(0, inputs.length))
    const targets = await page.locator('#windows .target').allTextContents()
    expect(targets).toEqual(names.slice(1, targets.length + 1))
    expect((await tableOf(page, 'Token rows')).rowNames).toEqual(names)
  })

  it.skipIf(room.isOfSite)(
    'shows the book’s six words and six rows, and one row for the id that stands at three places',
    async () => {
      const { page, begin } = await room.open()
      await begin('The book’s 6 × 3 table')
      expect(await page.locator('#tokens .strip .token').allInnerTexts()).toEqual(
        ['fox 2', 'jumps 3', 'over 5', 'dog 1', 'over 5', 'dog 1', 'jumps 3', 'over 5'].map((each) =>
          each.replace(' ', '\n'),
        ),
      )
      const { rowNames, numbers } = await tableOf(page, 'Rows of the table')
      expect(rowNames).toEqual(['0 brown', '1 dog', '2 fox', '3 jumps', '4 lazy', '5 over'])
      // The book prints them with four digits.
      expect(numbers[5].map((each) => each.toFixed(4))).toEqual(['-2.8400', '-0.7849', '-1.4096'])
      expect(await page.locator('#same-word select').inputValue()).toBe('5')
      expect(await page.locator('#same-word .measure b').first().textContent()).toBe('1.000')
    },
  )

  it('leaves out the loader’s last, short batch, and says how many windows', async () => {
    const { page, begin } = await room.open()
    await begin('A loader’s second pass')
    const { num_dropped_windows } = await embedded(room, { ...SECOND_PASS, outputs: ['input_ids'] })
    expect(num_dropped_windows).toBeGreaterThan(0)
    expect(await page.locator('#windows .facts-line').innerText()).toContain(
      `leaves out ${num_dropped_windows}.`,
    )
  })

  it('draws two schemes side by side, and why the service refuses the second', async () => {
    const { page, begin, settled } = await room.open()
    await begin('Absolute beside relative')
    const card = page.locator('#positions')
    expect(await card.locator('.facts-line b').allTextContents()).toEqual(['learned_absolute', 'rope'])
    const { outputs } = await embedded(room, { ...CAT, outputs: ['position_embeddings'] })
    expect((await tableOf(page, 'Position rows of the window')).numbers).toEqual(
      outputs.position_embeddings.data,
    )
    const boxes = await card
      .locator('.facts-line')
      .evaluateAll((all) => all.map((each) => each.getBoundingClientRect()))
    expect(boxes[1].left).toBeGreaterThan(boxes[0].right)
    await page.selectOption('#field-position_embedding', 'rope')
    await page.selectOption('#field-beside', 'learned_absolute')
    await page.fill('#field-text', 'the cat sat on the mat '.repeat(300))
    await page.selectOption('#field-documents', 'one')
    await settled()
    expect(await card.innerText()).toContain('must be at most `max_position_embeddings` 1024')
    expect(await page.locator('.notice').count()).toBe(0)
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
