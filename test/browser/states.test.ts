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

/** Waits for a notice that reads so. */
async function notice(page: Page, sentence: RegExp): Promise<void> {
  await page.locator('.notice', { hasText: sentence }).waitFor()
}
