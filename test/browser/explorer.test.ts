import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
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
    expect(complaints).toEqual([])
    expect(requests.filter((each) => !each.startsWith(url))).toEqual([])
  })
})
