import { expect, it } from 'vitest'
import { found } from './axe.js'
import { inChromium } from './in-chromium.js'

const LINES = Array.from({ length: 40 }, (_, line) => `${'the cat sat on the mat '.repeat((line % 7) + 1)}`)

interface Plan {
  readonly fill: number
  readonly num_windows: number
}

inChromium('datasets', (room) => {
  const upload = async () => {
    const query = 'encoding=gpt2&documents=lines&name=lines'
    const headers = { 'content-type': 'text/plain' }
    const made = await fetch(`${room.url}v1/datasets?${query}`, {
      ...{ method: 'POST', body: LINES.join('\n'), headers },
    })
    return (await made.json()) as { id: string }
  }

  it('offers none where there is none, takes a dropped text, and shows it', async () => {
    const { page, settled, complaints } = await room.open()
    expect(await page.locator('#field-dataset').count()).toBe(0)
    const file = { name: 'mine.txt', mimeType: 'text/plain', buffer: Buffer.from('Every effort moves you') }
    await page.setInputFiles('#field-upload', file)
    await page.waitForSelector('#packed')
    await settled()
    expect(await page.locator('#field-dataset option:checked').textContent()).toBe('mine.txt: 4 tokens')
    expect(await page.locator('.segment').allTextContents()).toEqual(['Every·effort·moves·you', ''])
    expect(complaints).toEqual([])
  })

  it('shows the segments and pads of the batch that the service gives, and moves among them by keys', async () => {
    const { id } = await upload()
    const { page, settled, complaints } = await room.open()
    await page.selectOption('#field-dataset', id)
    await page.fill('#field-context_length', '64')
    await settled()
    const query = 'context_length=64&batch_size=4&packing=best_fit&outputs=segment_ids'
    const { outputs } = await room.ask(`v1/datasets/${id}/batches/0?${query}`)
    const segments = outputs.segment_ids.data.map((row: number[]) => new Set(row).size)
    const shown = await page
      .locator('.packed-window')
      .evaluateAll((rows) => rows.map((row) => row.querySelectorAll('.segment').length))
    expect(shown).toEqual(segments)
    const pads = outputs.segment_ids.data.flat().filter((each: number) => each === -1).length
    const widths = await page
      .locator('.segment.padded')
      .evaluateAll((all) => all.map((each) => Number.parseInt(/(\d+) slots$/.exec(each.ariaLabel!)![1]!, 10)))
    expect(widths.reduce((sum, each) => sum + each, 0)).toBe(pads)

    await page.locator('.segment').first().click()
    await page.keyboard.press('ArrowDown')
    await page.keyboard.press('End')
    const last = segments[1] - 1
    const focused = page.locator(`.packed-window:nth-child(2) .segment:nth-child(${last + 1})`)
    await page.waitForFunction(
      (label) => document.activeElement?.ariaLabel === label,
      await focused.getAttribute('aria-label'),
    )
    expect(await focused.getAttribute('aria-selected')).toBe('true')
    expect(await page.locator('.segment[tabindex="0"]').count()).toBe(1)
    await page.getByRole('button', { name: 'batch →' }).click()
    await settled()
    expect(await page.textContent('#packed .facts-line')).toContain('batch 1 of')
    await page.selectOption('#field-dataset', '')
    await settled()
    expect(await page.locator('#tokens').count()).toBe(1)
    expect(complaints).toEqual([])
  })

  it('forecasts the fill of each packing as the plan has it', async () => {
    const { id } = await upload()
    const { page, settled } = await room.open()
    await page.selectOption('#field-dataset', id)
    await settled()
    const rows = await page.locator('.forecast tbody tr').allTextContents()
    expect(rows.map((row) => /^[\d,]+?(?=\d+\.\d %)/.test(row))).toEqual([true, true, true, true, true])
    for (const [index, packing] of ['none', 'concat', 'best_fit'].entries()) {
      const query = `context_length=256&batch_size=4&tail=pad&packing=${packing}`
      const plan: Plan = await room.ask(`v1/datasets/${id}/batches?${query}`)
      const cell = page.locator('.forecast tbody tr').first().locator('td').nth(index)
      expect(await cell.textContent()).toContain(`${(100 * plan.fill).toFixed(1)} %`)
      expect(Number(await cell.locator('.part').getAttribute('width'))).toBeCloseTo(100 * plan.fill)
    }
  })

  it('asks for the batch of the tail, the cut, the epoch and the rank that are chosen', async () => {
    const { id } = await upload()
    const { page, settled, complaints } = await room.open()
    await page.selectOption('#field-dataset', id)
    await page.fill('#field-context_length', '16')
    await page.selectOption('#field-long_documents', 'truncate')
    await page.selectOption('#field-tail', 'drop')
    await page.selectOption('#field-shuffle', 'index')
    await page.fill('#field-epoch', '3')
    await page.fill('#field-world_size', '2')
    await page.fill('#field-rank', '1')
    await settled()
    const order = 'shuffle=index&seed=123&epoch=3&world_size=2&rank=1'
    const query = `context_length=16&batch_size=4&packing=best_fit&long_documents=truncate&tail=drop&${order}`
    const { outputs } = await room.ask(`v1/datasets/${id}/batches/0?${query}&outputs=input_ids,segment_ids`)
    const lengths = outputs.segment_ids.data.map((row: number[]) => row.length)
    const shown = await page
      .locator('.packed-window')
      .evaluateAll((rows) => rows.map((row) => row.querySelectorAll('.segment').length))
    expect(shown).toEqual(outputs.segment_ids.data.map((row: number[]) => new Set(row).size))
    expect(lengths).toEqual([16, 16])
    const first = await page.locator('.packed-window .segment').first().getAttribute('aria-label')
    const { text } = await room.ask('v1/detokenize', {
      input_ids: outputs.input_ids.data[0].filter(
        (_: number, at: number) => outputs.segment_ids.data[0][at] === 0,
      ),
    })
    expect(first?.startsWith(text.slice(0, 80).replaceAll(' ', '·'))).toBe(true)
    await page.fill('#field-rank', '2')
    await page.waitForSelector('.field.refused #field-rank')
    expect(await page.textContent('#refusal-rank')).toContain('`rank` must be below `world_size`')
    await page.selectOption('#field-packing', 'concat')
    expect(await page.locator('#field-long_documents').count()).toBe(0)
    expect(complaints.filter((each) => !each.includes('400'))).toEqual([])
  })

  it.each(['light', 'dark'] as const)('passes WCAG 2.2, A and AA, at any width: %s', async (colorScheme) => {
    const { id } = await upload()
    const { page, settled } = await room.open({ colorScheme })
    await page.selectOption('#field-dataset', id)
    await page.fill('#field-context_length', '64')
    await settled()
    for (const width of [320, 768, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      expect(await found(page), `${width} px`).toEqual([])
      const beyond = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth)
      expect(beyond, `pixels beyond ${width}`).toBeLessThanOrEqual(0)
    }
  })

  it('says beside the field what the service refuses', async () => {
    const { id } = await upload()
    const { page, settled } = await room.open()
    await page.selectOption('#field-dataset', id)
    await settled()
    await page.fill('#field-batch_size', '0')
    await page.waitForSelector('.field.refused #field-batch_size')
    expect(await page.textContent('#refusal-batch_size')).toContain('`batch_size` must be')
  })
})

inChromium(
  'a service without datasets',
  (room) => {
    it('has no word of them', async () => {
      const { page } = await room.open()
      expect(await page.locator('#field-dataset, #field-upload').count()).toBe(0)
    })
  },
  { DATASETS: 'off' },
)
