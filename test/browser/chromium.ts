import { existsSync } from 'node:fs'
import { type Browser, chromium } from 'playwright-core'

/** Debian's paths of Chromium; `CHROMIUM` names another one. */
const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-headless-shell']

/** The browser's file, or undefined where there is none. */
export const chromiumPath: string | undefined = PLACES.find(
  (place) => place !== undefined && existsSync(place),
)

/** Starts the browser. */
export function openBrowser(): Promise<Browser> {
  return chromium.launch({ executablePath: chromiumPath, args: ['--no-sandbox', '--disable-gpu'] })
}
