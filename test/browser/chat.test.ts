import { expect, it } from 'vitest'
import { foundEverywhere } from './axe.js'
import { inBothHomes } from './in-chromium.js'

inBothHomes('a chat that is typed', (room) => {
  it('shows its template’s text in tokens, and trains what the assistant writes with the end of its turn', async () => {
    const { page, complaints } = await room.open()
    const card = page.locator('#chat')
    await card.getByLabel('Messages').fill('user: How many?\nassistant: Two\nships.\nuser: And now?')
    await card.getByRole('button', { name: 'Show what is trained' }).click()
    await card.getByText('5 of 21 tokens are trained.').waitFor()
    expect((await card.locator('.strip .text').allTextContents()).join('')).toBe(
      'user:·How·many?↵assistant:·Two↵ships.<|endoftext|>↵user:·And·now?↵',
    )
    expect((await card.locator('.trained .text').allTextContents()).join('')).toBe('·Two↵ships.<|endoftext|>')
    expect(await foundEverywhere(page)).toEqual([])
    expect(complaints).toEqual([])

    await card.getByLabel('Messages').fill('nothing')
    await card.getByRole('button', { name: 'Show what is trained' }).click()
    await card.locator('.empty').waitFor()
    expect(await card.locator('.empty').innerText()).toContain('messages')
  })
})
