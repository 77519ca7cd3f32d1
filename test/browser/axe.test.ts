import { expect, it } from 'vitest'
import { found } from './axe.js'
import { inBothHomes } from './in-chromium.js'

const SCHEMES = [
  ['light', { colorScheme: 'light' }],
  ['dark', { colorScheme: 'dark' }],
  ['forced colours', { forcedColors: 'active' }],
] as const

const WIDTHS = [320, 768, 1440]

inBothHomes('WCAG 2.2, A and AA', (room) => {
  it.each(SCHEMES)(
    'finds nothing at any width, %s, with the walk, a table and a row as a product open',
    async (_, media) => {
      const { page, settled } = await room.open(media)
      await page.getByRole('button', { name: /^Walk with me/ }).click()
      await page.getByRole('button', { name: 'Show the answer' }).click()
      await page.locator('summary', { hasText: 'As a table: Token rows' }).click()
      await page.locator('summary', { hasText: 'As a product' }).click()
      await settled()
      for (const width of WIDTHS) {
        await page.setViewportSize({ width, height: 900 })
        expect(await found(page), `${width} px`).toEqual([])
        const beyond = await page.evaluate(() => {
          const { scrollWidth, clientWidth } = document.documentElement
          return scrollWidth - clientWidth
        })
        expect(beyond, `pixels of the page beyond ${width}`).toBe(0)
      }
    },
  )
})
