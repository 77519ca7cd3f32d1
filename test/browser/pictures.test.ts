import { readFile, writeFile } from 'node:fs/promises'
import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { inChromium } from './in-chromium.js'

/** Most bytes of a picture in the documents. */
const MOST = 150_000

const WIDE = { width: 1200, height: 1000 }

const PICTURES = [
  ['explorer-light', { colorScheme: 'light', viewport: WIDE }, 'sum'],
  ['explorer-dark', { colorScheme: 'dark', viewport: WIDE }, 'windows'],
  ['explorer-phone', { viewport: { width: 390, height: 844 } }, 'tokens'],
] as const

inChromium('pictures of the page', (room) => {
  // UPDATE_DOCS=1 writes them: letters are drawn a little differently on each machine.
  it.each(PICTURES)('docs/%s.webp is the page as it is', async (name, options, card) => {
    const { page, settled } = await room.open(options)
    await page.locator(`#${card}`).evaluate((section) => section.scrollIntoView())
    await settled()
    const picture = await pictureOf(page)
    const path = `docs/${name}.webp`
    if (process.env.UPDATE_DOCS) await writeFile(path, picture)
    const committed = await readFile(path)
    expect(committed.length).toBeLessThan(MOST)
    // About the same amount is on it: this finds a page that is empty or twice as full.
    expect(Math.abs(Math.log2(picture.length / committed.length))).toBeLessThan(0.5)
  })
})

async function pictureOf(page: Page): Promise<Buffer> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 75 })
  return Buffer.from(data, 'base64')
}
