import type { Browser, BrowserContextOptions, Page } from 'playwright-core'
import { until } from '../until.js'

/** A page of the explorer, and what it has said. */
export interface OpenPage {
  readonly page: Page
  /** Errors of the console, exceptions, and violations of the page's policy. */
  readonly complaints: string[]
  /** Addresses of everything that was asked for. */
  readonly requests: string[]
  /** Waits until every request of the page is answered. */
  settled(): Promise<void>
  /** Begins with a preset, by its name on the button. */
  begin(preset: string): Promise<void>
}

/** Milliseconds without a request after which the page has all that it wants. */
const QUIET_MS = 300

/** Opens an address and waits for the page's first whole answer. */
export async function openPage(
  browser: Browser,
  url: string,
  options?: BrowserContextOptions,
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  await page.exposeFunction('violated', (what: string) => complaints.push(what))
  await page.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', ({ violatedDirective, blockedURI }) => {
      void (globalThis as unknown as { violated(what: string): void }).violated(
        `${violatedDirective} ${blockedURI}`,
      )
    })
  })
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  const requests: string[] = []
  let underWay = 0
  let lastAt = 0
  page.on('request', (request) => {
    requests.push(request.url())
    underWay++
    lastAt = Date.now()
  })
  const ended = () => {
    underWay--
    lastAt = Date.now()
  }
  page.on('requestfinished', ended)
  page.on('requestfailed', ended)
  const settled = async () => {
    lastAt = Date.now()
    await until(() => underWay === 0 && Date.now() - lastAt > QUIET_MS)
    await page.waitForSelector('main[aria-busy=false] :is(.card, .key)')
  }
  await page.goto(url)
  await settled()
  return {
    page,
    complaints,
    requests,
    settled,
    async begin(preset) {
      await page.locator('.presets button', { has: page.locator(`b:text-is("${preset}")`) }).click()
      await settled()
    },
  }
}
