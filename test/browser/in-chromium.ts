import type { Browser, BrowserContextOptions } from 'playwright-core'
import { afterAll, afterEach, beforeAll, describe } from 'vitest'
import { folderEntries } from '../../src/models/folders.js'
import { listen, type TestService, testService } from '../helper.js'
import { chromiumPath, openBrowser } from './chromium.js'
import { type OpenPage, openPage } from './open-page.js'

/** A service that listens, and a browser that opens its page. */
export interface Room {
  readonly browser: Browser
  readonly service: TestService
  /** Address of the page: ends in a slash. */
  readonly url: string
  /** Opens the page in a context of its own, which is closed after the test. */
  open(options?: BrowserContextOptions): Promise<OpenPage>
}

/** Tests on a service with the models of the package. Where there is no browser, they are skipped. */
export function inChromium(
  name: string,
  tests: (room: Room) => void,
  env: Readonly<Record<string, string>> = {},
): void {
  describe.skipIf(chromiumPath === undefined)(name, () => {
    let browser: Browser
    let service: TestService
    let url = ''
    beforeAll(async () => {
      const folders = await folderEntries({ MODELS_DIR: undefined, MODELS: undefined }, () => {})
      service = await testService({ EMBEDDING_DIM: '256', ...env }, { folders })
      url = `http://127.0.0.1:${await listen(service)}/`
      browser = await openBrowser()
    })
    afterEach(async () => {
      await Promise.all(browser.contexts().map((context) => context.close()))
    })
    afterAll(async () => {
      await browser?.close()
      await service?.close()
    })
    tests({
      get browser() {
        return browser
      },
      get service() {
        return service
      },
      get url() {
        return url
      },
      open: (options) => openPage(browser, url, options),
    })
  })
}
