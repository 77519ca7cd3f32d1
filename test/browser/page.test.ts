import { expect, it } from 'vitest'
import { inChromium } from './in-chromium.js'
import { openPage } from './open-page.js'

const GOLDENS = new URL('../goldens/models/', import.meta.url).pathname
const TEXT = 'form.recipe textarea'

inChromium(
  'the explorer’s page',
  (room) => {
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

    it('opens a link at its step of the walk, with the card of the step in view', async () => {
      const { page } = await room.open()
      await page.click('text=Walk with me')
      await page.keyboard.press('ArrowRight')
      await page.keyboard.press('ArrowRight')
      await page.waitForSelector('.walk h2:has-text("3 of 10")')
      await page.waitForURL(/#text=/)
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
