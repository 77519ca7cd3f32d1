import { expect, it } from 'vitest'
import { SCHEMES } from '../../src/features/explorer/page/schemes.js'
import { inChromium } from './in-chromium.js'

inChromium('roles and names', (room) => {
  it('are, card by card, those of the files in names/', async () => {
    const { page } = await room.open()
    const cards = await page.$$eval('section.card', (sections) => sections.map(({ id }) => id))
    expect(cards).toEqual(expect.arrayContaining(['tokens', 'windows', 'table', 'positions', 'sum']))
    for (const card of cards) {
      const names = withoutSentences(await page.locator(`#${card}`).ariaSnapshot()).replace(
        room.url,
        'http://localhost:8000/',
      )
      await expect(names).toMatchFileSnapshot(`names/${card}.yml`)
    }
    const recipe = withoutSentences(await page.getByRole('form', { name: 'Recipe' }).ariaSnapshot())
    await expect(recipe).toMatchFileSnapshot('names/recipe.yml')
  })

  it('name the value that an arrow key leads to, in words, digits and sign', async () => {
    const { page, ask } = { ...(await room.open()), ask: room.ask }
    const { outputs } = await ask('v1/input-embeddings', { text: 'The cat sat on the mat' })
    const grid = page.getByRole('grid', { name: 'Input embeddings', exact: true })
    await grid.focus()
    await page.keyboard.press('End')
    await page.keyboard.press('ArrowLeft')
    const value = String(outputs.input_embeddings.data[0][1][254]).replace('-', '−')
    const live = page.locator('.only-read[aria-live=polite]')
    expect(await live.textContent()).toBe(`·cat, channel 254, ${value}`)
    expect(await grid.getByRole('gridcell').textContent()).toBe(`·cat, channel 254: ${value}`)
  })

  it('keep one stop of the Tab key for each strip and grid', async () => {
    const { page } = await room.open()
    const stops = await page.$$eval('[role=listbox], [role=grid]', (parts) =>
      parts.map((part) => [
        part.getAttribute('aria-label'),
        [part, ...part.querySelectorAll<HTMLElement>('[tabindex]')].filter(
          (each) => (each as HTMLElement).tabIndex === 0 && each.hasAttribute('tabindex'),
        ).length,
      ]),
    )
    expect(stops.filter(([, count]) => count !== 1)).toEqual([])
  })
})

const SENTENCE = /^ *- (paragraph|text|term|definition): /
const SCHEME = new RegExp(`- option "(${Object.keys(SCHEMES).join('|')})"$`)

/** The tree without its sentences and the position schemes: what can be pointed at, and what it is called. */
function withoutSentences(tree: string): string {
  return `${tree
    .split('\n')
    .filter((line) => !SENTENCE.test(line) && !SCHEME.test(line))
    .join('\n')}\n`
}
