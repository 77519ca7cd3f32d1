import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { SCHEMES } from '../../src/explorer/recipe/schemes.js'
import { steps } from '../../src/explorer/walk/steps.js'
import { embed, listen, type TestService, testService } from '../helper.js'
import { chromiumPath, openBrowser } from './chromium.js'
import { openPage } from './open-page.js'

describe.skipIf(chromiumPath === undefined)('the explorer', () => {
  let browser: Browser
  let service: TestService
  let url: string
  beforeAll(async () => {
    service = await testService({ EMBEDDING_DIM: '256' })
    url = `http://127.0.0.1:${await listen(service)}/`
    browser = await openBrowser()
  })
  afterAll(async () => {
    await browser?.close()
    await service?.close()
  })

  it('shows the first preset in the digits of the service', async () => {
    const { page, complaints, requests } = await openPage(browser, url)
    const call = {
      text: ['The cat sat on the mat', 'On the mat the cat sat'],
      outputs: ['input_embeddings', 'token_embeddings', 'position_embeddings'],
    }
    const { outputs } = (await embed(service, call)).json()
    await page.click('[data-slot="1 4"]')
    const digits = (selector: string) =>
      page.textContent(selector).then((text) => Number(text?.replace('−', '-')))
    expect(await digits('.sum-value')).toBe(outputs.input_embeddings.data[1][4][0])
    expect(await digits('.token-value')).toBe(outputs.token_embeddings.data[1][4][0])
    expect(await digits('.position-value')).toBe(outputs.position_embeddings.data[4][0])
    expect(await page.textContent('.cosine:nth-of-type(1) b')).toBe('1.000')
    expect(complaints).toEqual([])
    expect(requests.filter((each) => !each.startsWith(url))).toEqual([])
  })

  it('paints the first preset where no call is answered', async () => {
    const page = await browser.newPage()
    await page.route('**/v1/**', () => {})
    await page.goto(url)
    await page.waitForSelector('#sum')
    expect(await page.textContent('.sum-value')).toBe('−0.39813063')
    await page.close()
  })

  it('opens on every preset, and draws every scheme', async () => {
    const { page, complaints } = await openPage(browser, url)
    const names = await page.locator('.presets button').allTextContents()
    for (const name of names) {
      await page.click(`.presets button:text-is("${name}")`)
      await page.waitForSelector('main[aria-busy=false]')
      expect(await page.locator('.refusal').count(), name).toBe(0)
    }
    await page.click('.presets button')
    for (const scheme of Object.keys(SCHEMES)) {
      await page.selectOption('#field-position_embedding', scheme)
      await page.waitForSelector(
        scheme === 'none' ? '#positions .empty' : `#positions b:text-is("${scheme}")`,
      )
    }
    expect(complaints).toEqual([])
  })

  it('shows a refusal at the field that the service names, and keeps the picture', async () => {
    const { page } = await openPage(browser, url)
    await page.fill('#field-context_length', '4000')
    const refusal = page.locator('#refusal-context_length')
    await refusal.waitFor()
    expect(await refusal.textContent()).toContain('context_length')
    expect(await page.locator('#sum').count()).toBe(1)
  })

  it('is walked through by the keyboard alone', async () => {
    const { page, complaints } = await openPage(browser, url)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    for (const { title } of steps) {
      await page.waitForSelector(`.walk h2:has-text("${title}")`)
      await page.keyboard.press('ArrowRight')
    }
    await page.keyboard.press('Escape')
    expect(await page.locator('.walk').count()).toBe(0)
    expect(complaints).toEqual([])
  })
})
