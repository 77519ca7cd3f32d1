import { expect, it } from 'vitest'
import { found, foundEverywhere } from './axe.js'
import { inBothHomes } from './in-chromium.js'

inBothHomes('a vocabulary that is made on the page', (room) => {
  it('grows by the most frequent pair, told with its count, while the text becomes fewer tokens', async () => {
    const { page, requests, complaints, settled } = await room.open()
    await page.fill('#field-text', 'low low lower 🐈')
    await settled()
    const asked = requests.length
    const card = page.locator('#merges')
    const told = card.locator('.facts-line')
    const [merge, ten, again] = ['Merge the most frequent pair', '10 more', 'Start again'].map((name) =>
      card.getByRole('button', { name }),
    )
    const tokens = () => card.locator('.strip .text').allTextContents()
    expect(await told.innerText()).toBe(
      'Tokens: 18, of a vocabulary of 257. The most frequent pair: l + o, 3 times.',
    )
    expect(await again!.isDisabled()).toBe(true)
    await merge!.click()
    await told.getByText('The most frequent pair: lo + w, 3 times.').waitFor()
    expect(await tokens()).toEqual([
      'lo',
      'w',
      '·',
      'lo',
      'w',
      '·',
      'lo',
      'w',
      'e',
      'r',
      '·',
      'f0',
      '9f',
      '90',
      '88',
    ])
    await merge!.click()
    await merge!.click()
    expect(await card.locator('.merges p').allInnerTexts()).toEqual([
      'lo 257 = l + o, 3 times',
      'low 258 = lo + w, 3 times',
      '·low 259 = · + low, 2 times',
    ])
    expect(await foundEverywhere(page)).toEqual([])
    await ten!.click()
    await told.getByText('Tokens: 4, of a vocabulary of 266. No pair is left.').waitFor()
    expect(await tokens()).toEqual(['low', '·low', '·lower', '·🐈'])
    expect(await ten!.isDisabled()).toBe(true)
    await again!.click()
    await told.getByText('Tokens: 18').waitFor()
    await ten!.click()
    await page.fill('#field-text', 'a')
    await told.getByText('Tokens: 1, of a vocabulary of 257. No pair is left.').waitFor()
    expect(await card.locator('.merges p').count()).toBe(0)
    expect(requests.slice(asked).some((url) => url.includes('train'))).toBe(false)
    expect(complaints).toEqual([])
  })

  it('is bounded on screen where the text is long, and not there where ids are given', async () => {
    const { page, begin, settled } = await room.open()
    await begin('100,000 tokens')
    const card = page.locator('#merges')
    await card.getByText(/and [\d,]+ more words/).waitFor()
    await card.getByRole('button', { name: '10 more' }).click()
    await card.getByText('of a vocabulary of 267.').waitFor()
    expect(await found(page)).toEqual([])
    await begin('The cat moves')
    await page.selectOption('#field-documents', 'ids')
    await page.fill('#field-input_ids', '1 2 3')
    await settled()
    expect(await card.count()).toBe(0)
  })
})
