import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { COLOUR_TABLES, type Theme } from '../../src/features/explorer/page/numbers.js'
import { inBothHomes } from './in-chromium.js'
import { numberOf } from './table-of.js'

const CAT = { text: ['The cat sat on the mat', 'On the mat the cat sat'] }

inBothHomes('pictures of numbers', (room) => {
  it.each(['light', 'dark'] as const)(
    'have, %s, at each number the colour that the table has for it',
    async (theme) => {
      const { page } = await room.open({ colorScheme: theme })
      const outputs = ['input_embeddings', 'token_embeddings', 'position_embeddings']
      const { outputs: served } = await room.ask('v1/input-embeddings', { ...CAT, outputs })
      const limit = numberOf(await page.locator('#sum .legend span').nth(1).textContent())
      const pictures = {
        'Token rows': served.token_embeddings.data[0],
        'Position rows': served.position_embeddings.data,
        'Input embeddings': served.input_embeddings.data[0],
      }
      for (const [name, rows] of Object.entries(pictures)) {
        const values: number[] = rows.flat()
        expect(await pixelsOf(page, name)).toEqual(values.flatMap((value) => colourOf(value, limit, theme)))
      }
    },
  )

  it('leave clear what is no number', async () => {
    const { page, settled } = await room.open()
    await page.selectOption('[id="field-position_embedding"]', 'alibi')
    await settled()
    const pixels = await pixelsOf(page, 'position_bias, head 0')
    // Query 0 sees itself, and no key after it.
    expect(pixels.slice(0, 4)).toEqual(colourOf(0, 1, 'light'))
    expect(pixels.slice(4, 8)).toEqual([0, 0, 0, 0])
  })
})

/** −limit has the first of 255 colours, 0 the middle one, limit the last; beyond the limit no other. */
function colourOf(value: number, limit: number, theme: Theme): number[] {
  const step = Math.round(127 + 127 * Math.min(1, Math.max(-1, value / limit)))
  return Array.from(COLOUR_TABLES[theme].subarray(4 * step, 4 * step + 4))
}

/** The picture's canvas, as RGBA. */
function pixelsOf(page: Page, name: string): Promise<number[]> {
  return page.getByRole('grid', { name, exact: true }).evaluate((grid) => {
    const canvas = grid.parentElement?.querySelector('canvas') as HTMLCanvasElement
    const context = canvas.getContext('2d') as CanvasRenderingContext2D
    return Array.from(context.getImageData(0, 0, canvas.width, canvas.height).data)
  })
}
