import type { Page } from 'playwright-core'
import { expect, it } from 'vitest'
import { steps } from '../../src/features/explorer/page/steps.js'
import { inChromium } from './in-chromium.js'

inChromium('the guided walk', (room) => {
  it('goes by keyboard alone through ten questions, each before its answer, and back out', async () => {
    const { page, settled, complaints } = await room.open()
    await tabTo(page, /^Walk with me/)
    await page.keyboard.press('Enter')
    expect(steps).toHaveLength(10)
    for (const [index, { title, question, answer, card }] of steps.entries()) {
      await settled()
      expect(await focused(page)).toBe(`${index + 1} of 10: ${title}`)
      const walk = page.getByRole('region', { name: 'Guided walk' })
      expect(await walk.innerText()).toContain(question)
      expect(await walk.innerText()).not.toContain(answer)
      expect(await isInView(page, card)).toBe(true)
      await tabTo(page, 'Show the answer')
      await page.keyboard.press('Enter')
      expect(await walk.innerText()).toContain(answer)
      if (index < 9) await page.keyboard.press('ArrowRight')
    }
    await page.keyboard.press('ArrowLeft')
    expect(await focused(page)).toBe(`9 of 10: ${steps[8].title}`)
    await page.keyboard.press('Escape')
    expect(await page.getByRole('region', { name: 'Guided walk' }).count()).toBe(0)
    expect(await focused(page)).toMatch(/^Walk with me/)
    expect(complaints).toEqual([])
  })

  it('hides on the card what it asks for, until it answers', async () => {
    const { page, settled } = await room.open()
    await page.getByRole('button', { name: /^Walk with me/ }).click()
    await page.keyboard.press('ArrowRight')
    await page.keyboard.press('ArrowRight')
    await settled()
    const target = page.locator('#windows .target').first()
    expect(await target.isVisible()).toBe(false)
    await page.getByRole('button', { name: 'Show the answer' }).click()
    expect(await target.isVisible()).toBe(true)
  })

  it.each([
    [1, ['#tokens .strip', '#tokens .facts', '#tokens + .arrow', '#windows .input']],
    [3, ['#windows .target', '#windows .about']],
    [
      4,
      [
        '#windows .window:nth-child(2) .input',
        '#windows .shared',
        '#windows .window:nth-child(2) [role=rowheader]',
      ],
    ],
    [5, ['#table .about', '#same-word .about']],
    [6, ['#positions .about', '#positions canvas', '#sum .about']],
    [9, ['#positions .about', '#sum .about']],
  ])('shows nothing at step %i, on its card or below, that answers', async (number, hidden) => {
    const { page, settled } = await room.open()
    await page.getByRole('button', { name: /^Walk with me/ }).click()
    for (let step = 1; step < number; step++) await page.keyboard.press('ArrowRight')
    await settled()
    const names = () => page.locator('#windows').ariaSnapshot()
    const seen = () => Promise.all(hidden.map((part) => page.locator(part).first().isVisible()))
    expect(await seen()).toEqual(hidden.map(() => false))
    if (number === 3) expect(await names()).not.toContain('·heart ·of')
    await page.getByRole('button', { name: 'Show the answer' }).click()
    expect(await seen()).toEqual(hidden.map(() => true))
    if (number === 3) expect(await names()).toContain('·heart ·of')
  })
})

/** Most presses of the Tab key that a walk may need: the Tab key walks in a ring. */
const RING = 60

/** Presses the Tab key until the focus is at a button of that name. */
async function tabTo(page: Page, name: string | RegExp): Promise<void> {
  for (let press = 0; press < RING; press++) {
    const text = await focused(page)
    if (typeof name === 'string' ? text === name : name.test(text)) return
    await page.keyboard.press('Tab')
  }
  throw new Error(`the Tab key does not lead to ${name}`)
}

/** The text of what has the focus. */
function focused(page: Page): Promise<string> {
  return page.evaluate(() => (document.activeElement as HTMLElement | null)?.innerText ?? '')
}

function isInView(page: Page, card: string): Promise<boolean> {
  return page.evaluate((id) => {
    const { top, bottom } = (document.getElementById(id) as HTMLElement).getBoundingClientRect()
    return top < innerHeight && bottom > 0
  }, card)
}
