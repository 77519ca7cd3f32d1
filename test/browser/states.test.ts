import type { Page, Route } from 'playwright-core'
import { afterEach, describe, expect, it } from 'vitest'
import { type ServerProcess, startServer } from '../service/server-process.js'
import { foundEverywhere } from './axe.js'
import { inChromium } from './in-chromium.js'
import { openPage } from './open-page.js'

const servers: ServerProcess[] = []
afterEach(() => {
  for (const server of servers.splice(0)) server.kill()
})

/** A service of the test's own. @returns the address of its page */
async function started(env: Readonly<Record<string, string>> = {}): Promise<string> {
  const server = startServer(env)
  servers.push(server)
  await server.ready()
  return `http://127.0.0.1:${await server.port()}/`
}

inChromium('what stands in the way', (room) => {
  it('a service killed in mid-call: the last picture and the typed text stay, and the page continues by itself', async () => {
    const address = await started()
    const { page } = await openPage(room.browser, address)
    const killed = async (route: Route) => {
      servers[0].kill()
      await servers[0].exited
      await route.continue()
    }
    await page.route('**/v1/**', killed, { times: 1 })
    await page.fill('#field-text', 'typed while it died')
    await notice(page, /^The service does not answer\. What you see is its last answer/)
    expect(await page.inputValue('#field-text')).toBe('typed while it died')
    expect(await page.locator('#tokens .id').first().textContent()).toBe('464')
    await servers[0].exited
    await started({ PORT: new URL(address).port })
    await page.waitForSelector('#tokens [aria-label^="ty"]')
    expect(await page.locator('.notice').count()).toBe(0)
  })

  it('no network: says so, and asks again until there is one', async () => {
    const { page } = await room.open()
    await page.context().setOffline(true)
    await page.fill('#field-text', 'typed in a tunnel')
    await notice(page, /^The service does not answer/)
    expect(await foundEverywhere(page)).toEqual([])
    await page.context().setOffline(false)
    await page.waitForSelector('#tokens [aria-label^="ty"]')
    expect(await page.locator('.notice').count()).toBe(0)
  })

  it('a service that has no time: waits as long as Retry-After asks, then has its answer', async () => {
    const { page } = await room.open()
    let refusals = 0
    await page.route('**/v1/**', (route) => {
      if (refusals++ > 0) return route.continue()
      const error = { message: 'The model is loading.', type: 'server_error', param: null, code: 'loading' }
      return route.fulfill({ status: 503, headers: { 'retry-after': '2' }, json: { error } })
    })
    await page.fill('#field-text', 'patience')
    await notice(page, /^The model is loading\. .* asked again/)
    await page.waitForSelector('#tokens [aria-label^="pat"]')
  })

  it('a text that is too large: stays, with the reason, and cut it is taken', async () => {
    const address = await started({ MAX_JSON_BODY_BYTES: '2048' })
    const { page, settled } = await openPage(room.browser, address)
    const text = 'the cat sat on the mat '.repeat(200)
    await page.selectOption('#field-documents', 'one')
    await page.fill('#field-text', text)
    await notice(page, /2,?048/)
    expect(await foundEverywhere(page)).toEqual([])
    expect(await page.inputValue('#field-text')).toBe(text)
    await page.fill('#field-text', text.slice(0, 1500))
    await settled()
    expect(await page.locator('.notice').count()).toBe(0)
  })

  it('a field that is refused: shows the reason beside the field, and keeps the picture', async () => {
    const { page, settled } = await room.open()
    await page.fill('#field-context_length', '2000')
    await settled()
    const refusal = await page.locator('.field.refused', { hasText: 'context_length' }).textContent()
    expect(refusal).toMatch(/2000 needs 2001 tokens/)
    expect(await foundEverywhere(page)).toEqual([])
    expect(await page.locator('#tokens .id').first().textContent()).toBe('464')
  })

  it('more positions than the table has rows: the service’s sentence at the field, as its own call says', async () => {
    const { page, settled } = await room.open()
    const text = 'the cat sat on the mat '.repeat(500)
    await page.selectOption('#field-documents', 'one')
    await page.fill('#field-text', text)
    await page.selectOption('#field-tail', 'pad')
    await page.fill('#field-context_length', '2000')
    await settled()
    const call = room.ask('v1/input-embeddings', { text, context_length: 2000, tail: 'pad' })
    const { error } = JSON.parse(String(await call.catch((reason) => reason)).replace(/^[^{]*/, ''))
    expect(error.message).toContain('max_position_embeddings')
    const field = page.locator('#field-context_length')
    expect(await described(page, 'context_length')).toBe(error.message)
    expect(await field.getAttribute('aria-invalid')).toBe('true')
    expect(await page.locator('#positions').innerText()).not.toContain('-')
    await page.fill('#field-context_length', '1024')
    await settled()
    expect(await field.getAttribute('aria-invalid')).toBeNull()
    expect(await page.locator('#positions').innerText()).toContain('0 to 1,023 of 1,024; 0 rows are left')
  })

  it.each(['stride', 'context_length', 'batch_size'])(
    'no whole number from 1 on in %s: said there',
    async (name) => {
      const { page, settled } = await room.open()
      await page.fill('#field-context_length', '4')
      for (const [typed, words] of [
        ['0', 'must be at least 1. Given: 0'],
        ['-3', 'must be at least 1. Given: -3'],
        ['1.5', 'must be an integer. Given: 1.5'],
      ] as const) {
        await page.fill(`#field-${name}`, typed)
        await settled()
        expect(await described(page, name)).toBe(`\`${name}\` ${words}`)
        expect(await page.inputValue(`#field-${name}`)).toBe(typed)
      }
      expect(await page.locator('[aria-invalid=true]').count()).toBe(1)
      expect(await foundEverywhere(page)).toEqual([])
      await page.fill(`#field-${name}`, '2')
      await settled()
      expect(await page.locator('[aria-invalid]').count()).toBe(0)
    },
  )

  it('what is no number yet: said there, until there is one', async () => {
    const { page, settled } = await room.open()
    await page.fill('#field-batch_size', '')
    expect(await described(page, 'batch_size')).toBe('`batch_size` must be a whole number.')
    await page.locator('#field-stride').pressSequentially('-')
    expect(await described(page, 'stride')).toBe('`stride` must be a whole number.')
    await page.locator('#field-stride').press('Backspace')
    await page.fill('#field-batch_size', '1')
    await settled()
    expect(await page.locator('[aria-invalid]').count()).toBe(0)
    expect(await page.locator('#windows + .arrow').innerText()).toContain('B 1')
  })

  it('a field under “More” that a link fills wrongly: it is open', async () => {
    const { page } = await room.open()
    await page.evaluate(() => location.assign('#text=a+cat&epoch=2000&seed=1'))
    expect(await described(page, 'epoch')).toContain('must be')
    expect(await page.locator('#field-epoch').isVisible()).toBe(true)
  })

  describe('a key', () => {
    const field = 'This service asks for a key. It stays in this tab and is in no link.'

    it('is asked for, a wrong one is told, the right one is kept for the tab alone', async () => {
      const address = await started({ API_KEYS: 'ann:the-right-key' })
      const { page } = await openPage(room.browser, address)
      await page.fill('#field-text', 'typed before the key')
      await page.getByLabel(field).fill('a-wrong-key')
      await page.keyboard.press('Enter')
      await page.getByText('The service does not know this key.').waitFor()
      expect(await foundEverywhere(page)).toEqual([])
      expect(await page.inputValue('#field-text')).toBe('typed before the key')
      await page.getByLabel(field).fill('the-right-key')
      await page.keyboard.press('Enter')
      await page.waitForSelector('#tokens [aria-label^="ty"]')
      expect(page.url()).not.toContain('the-right-key')
      expect(await page.content()).not.toContain('the-right-key')
      expect(await page.evaluate(() => localStorage.length)).toBe(0)
      await page.waitForFunction(() => location.hash.startsWith('#text='))
      await page.reload()
      await page.waitForSelector('#tokens [aria-label^="ty"]')
      const other = await page.context().newPage()
      await other.goto(address)
      await other.getByLabel(field).waitFor()
    })
  })

  describe('a link', () => {
    it('opens where it was made with the same recipe, and is never sent', async () => {
      const { page, settled } = await room.open()
      await page.fill('#field-text', 'a recipe for 猫\nand a second line')
      await page.fill('#field-stride', '2')
      await page.fill('#field-context_length', '3')
      await settled()
      await page.waitForFunction(() => location.hash.startsWith('#text='))
      await page.waitForTimeout(600)
      const link = page.url()
      const { page: other, requests, complaints } = await openPage(room.browser, link)
      expect(await other.inputValue('#field-text')).toBe('a recipe for 猫\nand a second line')
      expect(await other.inputValue('#field-stride')).toBe('2')
      expect(await other.inputValue('#field-context_length')).toBe('3')
      expect(requests.slice(1).join()).not.toContain(link.slice(link.indexOf('#') + 1))
      expect(complaints).toEqual([])
    })
  })
})

/** The text that describes a field to a screen reader. */
async function described(page: Page, name: string): Promise<string | null> {
  await page.waitForSelector(`#field-${name}[aria-invalid=true]`)
  const id = await page.locator(`#field-${name}`).getAttribute('aria-describedby')
  return page.locator(`#${id}`).textContent()
}

/** Waits for a notice that reads so. */
async function notice(page: Page, sentence: RegExp): Promise<void> {
  await page.locator('.notice', { hasText: sentence }).waitFor()
}
