import { readFileSync } from 'node:fs'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { embed, listen, type TestService, testService } from '../helper.js'
import { chromiumPath, openBrowser } from './chromium.js'
import { openPage } from './open-page.js'

const NOTICE = '.notice'
const TEXT = 'form.recipe textarea'

describe.skipIf(chromiumPath === undefined)('the explorer, where something stands in the way', () => {
  let browser: Browser
  let service: TestService
  let url: string
  beforeAll(async () => {
    service = await testService()
    url = `http://127.0.0.1:${await listen(service)}/`
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })

  /** A page whose calls are answered by the service, or as `answer` says. */
  async function opened(answer: { now?: (path: string) => object | 'gone' | undefined } = {}): Promise<Page> {
    const { page } = await openPage(browser, url)
    await page.route('**/v1/**', (route) => {
      const given = answer.now?.(new URL(route.request().url()).pathname)
      if (given === undefined) return route.continue()
      return given === 'gone' ? route.abort('connectionreset') : route.fulfill(given)
    })
    return page
  }

  const refusal = (status: number, code: string, headers = {}) => ({
    status,
    headers,
    contentType: 'application/json',
    body: JSON.stringify({ error: { type: 'error', code, message: `It is ${code}.`, param: null } }),
  })

  it('keeps the last picture and what is typed while the service is gone, and goes on when it is back', async () => {
    const answer: { now?: () => 'gone' } = { now: () => 'gone' }
    const page = await opened(answer)
    await page.fill(TEXT, 'Typed while it was away')
    await page.waitForSelector(`${NOTICE}.offline`)
    expect(await page.textContent(NOTICE)).toMatch(
      /has not answered since .*\d.* What you see is its last answer/,
    )
    expect(await page.locator('#tokens').textContent()).toContain('mat')
    answer.now = undefined
    await page.click(`${NOTICE} button`)
    await page.waitForSelector(NOTICE, { state: 'detached' })
    expect(await page.inputValue(TEXT)).toBe('Typed while it was away')
    expect(await page.locator('#tokens').textContent()).toContain('away')
    await page.context().close()
  })

  it('asks again by itself, and at once when the network is back', async () => {
    const answer: { now?: () => 'gone' } = { now: () => 'gone' }
    const page = await opened(answer)
    await page.fill(TEXT, 'Again')
    await page.waitForSelector(`${NOTICE}.offline`)
    answer.now = undefined
    await page.waitForSelector(NOTICE, { state: 'detached' })
    answer.now = () => 'gone'
    await page.fill(TEXT, 'And again')
    await page.waitForSelector(`${NOTICE}.offline`)
    answer.now = undefined
    await page.evaluate("dispatchEvent(new Event('online'))")
    await page.waitForSelector(NOTICE, { state: 'detached' })
    await page.context().close()
  })

  it('counts down to the time that a busy service names', async () => {
    const answer: { now?: () => object } = { now: () => refusal(503, 'loading', { 'retry-after': '2' }) }
    const page = await opened(answer)
    await page.fill(TEXT, 'hello there')
    await page.waitForSelector(`${NOTICE}.busy`)
    expect(await page.textContent(NOTICE)).toContain('It is loading.')
    await page.getByText('Asking again in 1 s.').waitFor()
    answer.now = undefined
    await page.waitForSelector(NOTICE, { state: 'detached' })
    expect(await page.locator('#tokens').textContent()).toContain('there')
    await page.context().close()
  })

  it('asks for the key, says that one is wrong, and keeps the right one for the tab', async () => {
    const locked = await testService({ API_KEYS: 'me:sesame' })
    const address = `http://127.0.0.1:${await listen(locked)}/`
    const context = await browser.newContext()
    const page = await context.newPage()
    await page.goto(address)
    await page.fill(TEXT, 'Typed before the key')
    await page.fill('#field-key', 'sésame')
    await page.keyboard.press('Enter')
    await page.getByText('letters, digits and signs of ASCII').waitFor()
    await page.fill('#field-key', 'Sesame')
    await page.keyboard.press('Enter')
    await page.getByText('does not know this key').waitFor()
    await page.fill('#field-key', 'sesame')
    await page.keyboard.press('Enter')
    await page.waitForSelector(NOTICE, { state: 'detached' })
    expect(await page.inputValue(TEXT)).toBe('Typed before the key')
    await page.getByText('Your key is in none of these lines').waitFor()
    expect(await page.textContent('.page > .only-read')).not.toContain('sesame')
    await page.waitForURL(/#v1=/)
    await page.reload()
    await page.locator('#tokens').getByText('before').first().waitFor()
    expect(page.url()).not.toContain('sesame')
    const other = await context.newPage()
    await other.goto(address)
    await other.waitForSelector('#field-key')
    await page.click('text=Forget the key')
    await page.waitForSelector('#field-key')
    expect(await page.inputValue('#field-key')).toBe('')
    await context.close()
    await locked.close()
  })

  it('offers a text that is too large cut at the limit', async () => {
    const small = await testService({ MAX_JSON_BODY_BYTES: '100000', MAX_BODY_BYTES: '200000' })
    const { page } = await openPage(browser, `http://127.0.0.1:${await listen(small)}/`)
    await page.selectOption('#field-documents', 'one')
    await page.fill('#field-context_length', '4')
    await page.fill(TEXT, 'naïve cat. '.repeat(12_000))
    await page.getByText('Nothing is cut yet').waitFor()
    await page.click('text=Keep what fits into 100,000 bytes')
    await page.waitForSelector(NOTICE, { state: 'detached' })
    await page.locator('#tokens').getByText('na', { exact: false }).first().waitFor()
    await page.context().close()
    await small.close()
  })

  it('says what is wrong with a link and keeps the recipe', async () => {
    const { page } = await openPage(browser, `${url}#v9=abc`)
    expect(await page.textContent(NOTICE)).toContain('of version 9')
    expect(await page.inputValue(TEXT)).toContain('The cat sat')
    await page.fill(TEXT, 'A recipe of my own')
    await page.waitForURL(/#v1=/)
    const link = page.url()
    await page.evaluate("location.hash = '#v1=broken'")
    await page.getByText('This link is broken').waitFor()
    expect(await page.inputValue(TEXT)).toBe('A recipe of my own')
    const { page: other } = await openPage(browser, link)
    expect(await other.inputValue(TEXT)).toBe('A recipe of my own')
    await page.context().close()
    await other.context().close()
  })

  it('saves what is on screen as the service writes it', async () => {
    const { page } = await openPage(browser, url)
    const [saved] = await Promise.all([page.waitForEvent('download'), page.click('text=Save as npy')])
    expect(saved.suggestedFilename()).toBe('input_embeddings.npy')
    const call = {
      text: ['The cat sat on the mat', 'On the mat the cat sat'],
      outputs: ['input_embeddings'],
    }
    const served = await embed(service, call, { accept: 'application/x-npy' })
    expect(readFileSync(await saved.path()).equals(served.body)).toBe(true)
    await page.context().close()
  })
})
