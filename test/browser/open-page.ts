import type { Browser, BrowserContextOptions, Page } from 'playwright-core'

/** A page of the explorer, and what it has said. */
export interface OpenPage {
  readonly page: Page
  /** Errors of the console, exceptions, and violations of the page's policy. */
  readonly complaints: string[]
  /** Addresses of everything that was asked for. */
  readonly requests: string[]
}

/** Opens an address and waits for the page's first whole answer. */
export async function openPage(
  browser: Browser,
  url: string,
  options?: BrowserContextOptions,
): Promise<OpenPage> {
  const context = await browser.newContext({ viewport: { width: 1440, height: 1000 }, ...options })
  const page = await context.newPage()
  const complaints: string[] = []
  const requests: string[] = []
  page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()))
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('request', (request) => requests.push(request.url()))
  await page.goto(url)
  await page.waitForSelector('main[aria-busy=false] .card')
  await page.waitForLoadState('networkidle')
  return { page, complaints, requests }
}
