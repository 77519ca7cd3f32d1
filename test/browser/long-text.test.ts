import { expect, it } from 'vitest'
import { presets } from '../../src/features/explorer/page/recipe.js'
import { inBothHomes } from './in-chromium.js'
import { tasksDuring } from './tasks.js'

/** No task has more than this part of all that a long text asks of the page: a quarter, when this was written. */
const LARGEST_PART = 0.5

inBothHomes('a text of 100,000 tokens', (room) => {
  it('is under 5,000 elements, and whole to its last token', async () => {
    const { page, begin, complaints } = await room.open()
    await begin('100,000 tokens')
    const { text } = presets[5].recipe
    const { input_ids } = await room.ask('v1/tokenize', { text })
    expect(input_ids.length).toBeGreaterThan(100_000)
    expect(await page.locator('#tokens + .arrow').textContent()).toContain(
      input_ids.length.toLocaleString('en-GB'),
    )
    const count = () => page.evaluate(() => document.querySelectorAll('*').length)
    expect(await count()).toBeLessThan(5000)
    await page.locator('#tokens .token').first().focus()
    await page.keyboard.press('End')
    const last = page.locator(`#tokens [data-token="${input_ids.length - 1}"]`)
    await last.waitFor()
    expect(await last.getAttribute('aria-label')).toContain(` ${input_ids.at(-1)}, token`)
    expect(await count()).toBeLessThan(5000)
    expect(complaints).toEqual([])
  })

  it('is read and drawn in many small tasks, between which the page answers', async () => {
    const { page, begin } = await room.open()
    const tasks = await tasksDuring(room.browser, page, () => begin('100,000 tokens'))
    const works = tasks.map(({ worked }) => worked)
    const all = works.reduce((sum, worked) => sum + worked, 0)
    expect(Math.max(...works) / all).toBeLessThan(LARGEST_PART)
  })

  it('is, at 5,000 characters, in the picture with each key that is typed', async () => {
    const { page, settled } = await room.open()
    await page.selectOption('#field-documents', 'one')
    await page.fill('#field-context_length', '256')
    await page.fill('#field-text', presets[2].recipe.text.repeat(2).slice(0, 5000))
    await settled()
    await page.locator('#field-text').press('Control+End')
    for (const key of [' x', ' y', ' z']) {
      const { input_ids } = await room.ask('v1/tokenize', {
        text: (await page.inputValue('#field-text')) + key,
      })
      await page.keyboard.type(key)
      const count = input_ids.length.toLocaleString('en-GB')
      await page.waitForFunction(
        (shown) => document.querySelector('#tokens + .arrow')?.textContent?.includes(shown),
        count,
      )
    }
  })
})
