import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { type ServerProcess, startServer } from '../service/server-process.js'
import { chromiumPath, openBrowser } from './chromium.js'
import { type OpenPage, openPage } from './open-page.js'
import { serveSite } from './static-site.js'

/** The built service as a separate process, and a browser that opens its page. */
export interface Room {
  readonly browser: Browser
  readonly server: ServerProcess
  /** Address of the service: ends in a slash. */
  readonly url: string
  /** Address of the site, which answers without it. */
  readonly site: string
  /** Whether its page is opened: it has the default model alone. */
  readonly isOfSite: boolean
  /** Opens the page in a separate context, which is closed after the test. */
  open(options?: BrowserContextOptions): Promise<OpenPage>
  /** The service's JSON for a call that the test makes itself: POST where there is a body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read what they expect
  ask(path: string, body?: object): Promise<any>
}

/** Tests on a separate service. Where there is no browser, they are skipped. */
export function inChromium(
  name: string,
  tests: (room: Room) => void,
  env: Readonly<Record<string, string>> = {},
  isOfSite = false,
): void {
  describe.skipIf(chromiumPath === undefined)(name, () => {
    let browser: Browser
    let server: ServerProcess
    let url = ''
    let site: Awaited<ReturnType<typeof serveSite>>
    beforeAll(async () => {
      server = startServer(env)
      browser = await openBrowser()
      site = await serveSite()
      url = `http://127.0.0.1:${await server.port()}/`
      await server.ready()
    })
    afterEach(async () => {
      await Promise.all(browser.contexts().map((context) => context.close()))
    })
    afterAll(async () => {
      await browser?.close()
      site?.close()
      server?.kill()
    })
    tests({
      isOfSite,
      get browser() {
        return browser
      },
      get server() {
        return server
      },
      get url() {
        return url
      },
      get site() {
        return site.url
      },
      open: (options) => openPage(browser, isOfSite ? site.url : url, options),
      async ask(path, body) {
        const sent = { method: 'POST', body: JSON.stringify(body) }
        const headers = { 'content-type': 'application/json' }
        const response = await fetch(url + path, body === undefined ? {} : { ...sent, headers })
        if (!response.ok) throw new Error(`${path}: ${await response.text()}`)
        return response.json()
      },
    })
  })
}

/** Tests of the page of the service and of that of the site, which has none; both are compared with the service. */
export function inBothHomes(name: string, tests: (room: Room) => void): void {
  inChromium(`${name}, with a service`, tests)
  inChromium(`${name}, without one`, tests, {}, true)
}
