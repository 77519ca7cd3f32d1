import { expect, it } from 'vitest'
import { inChromium } from './in-chromium.js'

const STATIC = new URL('../goldens/static/', import.meta.url).pathname

inChromium(
  'a static model',
  (room) => {
    it('shows its own rows, that no positions are added, and what becomes of them', async () => {
      const { page, settled, complaints } = await room.open()
      await page.selectOption('#field-model', 'words')
      await page.fill('#field-text', 'a of a')
      await settled()
      const { input_embeddings } = await room.ask('v1/input-embeddings', { model: 'words', text: 'a of a' })
      const first: number = input_embeddings[0][0][0]
      const cell = page.locator('#sum', { hasText: 'place 0, channel 0' })
      await page.locator('#tokens .token').first().click()
      await cell.waitFor()
      const shown = String(Math.abs(first)).slice(0, 6)
      expect((await cell.innerText()).split(shown).length).toBeGreaterThan(3) // sum, token row, input embedding
      expect(await page.textContent('#positions')).toContain(
        'Nothing is added, and nothing goes to attention.',
      )
      expect(await page.textContent('#sum')).toContain('the mean of a text’s rows')
      expect(complaints).toEqual([])
    })
  },
  { MODELS_DIR: STATIC },
)
