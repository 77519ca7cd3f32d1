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
      const { outputs } = await room.ask('v1/input-embeddings', { model: 'words', text: 'a of a' })
      const first: number = outputs.input_embeddings.data[0][0][0]
      const cell = page.locator('#sum', { hasText: 'position 0, channel 0' })
      await page.locator('#tokens .token').first().click()
      await cell.waitFor()
      expect((await page.textContent('.sum-value'))?.replace('−', '-')).toBe(String(first))
      expect(await page.textContent('#positions')).toContain(
        'Nothing is added, and nothing goes to attention.',
      )
      expect(await page.textContent('#sum')).toContain('the mean of a text’s rows')
      expect(complaints).toEqual([])
    })
  },
  { MODELS_DIR: STATIC },
)
