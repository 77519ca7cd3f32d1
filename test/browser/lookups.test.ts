import { expect, it } from 'vitest'
import { inChromium } from './in-chromium.js'
import { tableOf } from './table-of.js'

const MODELS = new URL('../goldens/memory/', import.meta.url).pathname

inChromium(
  'a model with rows of n-grams',
  (room) => {
    it('shows the selected token’s row numbers and rows, as they are served', async () => {
      const { page, settled, complaints } = await room.open()
      await page.fill('form.recipe textarea', '5 6 7 8 6 7')
      await page.selectOption('#field-documents', 'ids')
      await page.selectOption('#field-model', 'qwen4_exp')
      await settled() // a token of the answer before could be another
      await page.click('#tokens [data-token="3"]')
      const { outputs } = await room.ask('v1/input-embeddings', {
        ...{ model: 'qwen4_exp', input_ids: [5, 6, 7, 8], outputs: ['ngram_ids', 'ngram_embeddings'] },
      })
      const [rows, values] = ['ngram_ids', 'ngram_embeddings'].map((name) => outputs[name].data[0].at(-1))
      await page.locator('#memory .row-names', { hasText: `row ${rows[0]}row ${rows[1]}` }).waitFor()
      const { rowNames, numbers } = await tableOf(page, 'For layer 1')
      expect(rowNames).toEqual(rows.slice(0, 6).map((row: number) => `row ${row}`))
      expect(numbers.flat()).toEqual(values.slice(0, 24))
      expect(complaints).toEqual([])
    })
  },
  { MODELS_DIR: MODELS },
)
