import { expect, it } from 'vitest'
import { inChromium } from './in-chromium.js'
import { openPage } from './open-page.js'

const GOLDENS = new URL('../goldens/models/', import.meta.url).pathname
const TEXT = 'form.recipe textarea'

inChromium(
  'the explorer’s page',
  (room) => {
    it('shows the scheme that comes with an architecture', async () => {
      const { page, complaints } = await room.open()
      await page.click('form.recipe details summary')
      await page.selectOption('#field-architecture', 'gemma')
      await page.waitForSelector('#positions b:text-is("rope")')
      expect(await page.textContent('#field-position_embedding option:checked')).toBe(
        'the one of gemma: rope',
      )
      expect(complaints).toEqual([])
    })

    it.each([
      ['llama', 'rope', 'This scheme adds nothing to the rows'],
      ['opt-350m-shape', 'learned_absolute', 'opt makes 32 numbers of the 16 in a row of its table'],
      ['bert', 'learned_absolute', 'and what bert does besides'],
    ])('says what is true of a trained model without a tokenizer: %s', async (model, scheme, words) => {
      const { page, complaints } = await room.open()
      await page.fill(TEXT, '1 2 3 2 5')
      await page.selectOption('#field-documents', 'ids')
      await page.selectOption('#field-model', model)
      await page.waitForSelector(`#positions b:text-is("${scheme}")`)
      await page.getByText('This model has no tokenizer here').waitFor()
      expect(await page.textContent('#sum')).toContain(words)
      expect(await page.textContent('#tokens .facts')).not.toContain('bytes')
      await page.locator('#table .row-names .current', { hasText: '2 #2' }).waitFor()
      expect(complaints).toEqual([])
    })

    it('turns the rows of a table that has more than a page', async () => {
      const { page } = await room.open()
      await page.selectOption('#field-position_embedding', 'transformer_xl')
      await page.fill('[id="field-position_embedding.memory_length"]', '20')
      await page.waitForSelector('#positions b:text-is("transformer_xl")')
      await page.locator('#positions').getByText('As a table').first().click()
      const caption = page.locator('#positions caption')
      expect(await caption.textContent()).toContain('rows 0 to 31 of 52')
      await page.locator('#positions').getByText('rows →').click()
      expect(await caption.textContent()).toContain('rows 32 to 51 of 52')
      expect(await page.locator('#positions tbody tr').count()).toBe(20)
      expect(await page.locator('#positions').getByText('rows →').isDisabled()).toBe(true)
    })

    it('slides windows in, and moves nothing where less motion is wanted', async () => {
      for (const [reducedMotion, running] of [
        ['no-preference', true],
        ['reduce', false],
      ] as const) {
        const { page } = await room.open({ reducedMotion })
        await page.evaluate(COUNT_SLIDES)
        await page.click('.presets button:has-text("notebook")')
        await page.click('text=batch →')
        await page.waitForSelector('#windows:has-text("batch 1 of")')
        expect((await page.evaluate<number>('slides')) > 0).toBe(running)
      }
    })

    it('returns to the recipe when a note has been read', async () => {
      const { page } = await openPage(room.browser, `${room.url}#v9=abc`)
      await page.getByText('Understood').focus()
      await page.keyboard.press('Enter')
      expect(await page.evaluate('document.activeElement.tagName')).toBe('TEXTAREA')
    })

    it('opens a link at its step of the walk, with the card of the step in view', async () => {
      const { page } = await room.open()
      await page.click('text=Walk with me')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      await page.waitForSelector('.walk h2:has-text("3 of 10")')
      await page.waitForURL(/#v1=/)
      await page.waitForTimeout(1000)
      const { page: other, complaints } = await openPage(room.browser, page.url())
      await other.waitForSelector('.walk h2:has-text("3 of 10")')
      await other.waitForFunction(
        `Math.abs(document.getElementById('windows').getBoundingClientRect().top) < 400`,
      )
      expect(await other.inputValue('#field-context_length')).toBe('4')
      expect(complaints).toEqual([])
    })
  },
  { MODELS_DIR: GOLDENS },
)

/** Counts the animations that the windows begin. */
const COUNT_SLIDES = `
  globalThis.slides = 0
  const animate = Element.prototype.animate
  Element.prototype.animate = function (...given) {
    if (this.matches('.windows')) slides++
    return animate.apply(this, given)
  }`
