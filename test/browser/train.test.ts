import { expect, it } from 'vitest'
import { foundEverywhere } from './axe.js'
import { inBothHomes } from './in-chromium.js'
import { tableOf } from './table-of.js'

inBothHomes('rows that are trained on the page', (room) => {
  it('are, before, the served ones; after, others, at which the loss is lower than a guess', async () => {
    const { page, requests, complaints } = await room.open()
    const card = page.locator('#train')
    const asked = requests.length
    await card.getByRole('button', { name: 'Train 50 steps' }).click()
    await card.getByText(/After 50 steps .* over 10 positions/).waitFor()
    const [, first, last] = (await card.locator('.facts-line b').allTextContents()).map(Number)
    expect(first).toBeGreaterThan(5)
    expect(last).toBeLessThan(Math.log(7))
    const { outputs } = await room.ask('v1/input-embeddings', {
      text: 'The cat sat on the mat',
      outputs: ['token_embeddings'],
    })
    const [before, after] = [await tableOf(page, 'Rows before'), await tableOf(page, 'Rows after')]
    expect(before.rowNames).toEqual(['The', '·cat', '·sat', '·on', '·the', '·mat', 'On'])
    expect(before.numbers.slice(0, 6)).toEqual(outputs.token_embeddings.data[0])
    expect(after.rowNames).toEqual(before.rowNames)
    for (const [row, numbers] of before.numbers.entries()) expect(after.numbers[row]).not.toEqual(numbers)
    expect(requests.length).toBe(asked) // the service’s table stays
    await card.getByRole('button', { name: 'Go on: 50 more steps' }).click()
    await card.getByText(/After 100 steps/).waitFor()
    expect(Number(await card.locator('.facts-line b').nth(2).textContent())).toBeLessThan(last)
    expect(await foundEverywhere(page)).toEqual([])
    expect(complaints).toEqual([])
  })

  it('begin anew with another text, and cannot be trained where nothing comes next', async () => {
    const { page, settled } = await room.open()
    const card = page.locator('#train')
    await card.getByRole('button', { name: 'Train 50 steps' }).click()
    await card.getByText(/After 50 steps/).waitFor()
    await page.fill('#field-text', 'cat')
    await settled()
    await card.getByText('No token on screen has another one after it.').waitFor()
    expect(await card.getByRole('button', { name: 'Train 50 steps' }).isDisabled()).toBe(true)
  })
})
