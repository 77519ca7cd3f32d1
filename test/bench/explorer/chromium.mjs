import { existsSync } from 'node:fs'

/** Where Debian puts Chromium; `CHROMIUM` names another one. */
const PLACES = [process.env.CHROMIUM, '/usr/bin/chromium', '/usr/bin/chromium-headless-shell']

/** Chromium at the service's page, or undefined where there is none: { page, begin, settled, close }. */
export async function openExplorer(url) {
  const executablePath = PLACES.find((place) => place !== undefined && existsSync(place))
  if (executablePath === undefined) return undefined
  const { chromium } = await import('playwright-core')
  const browser = await chromium.launch({ executablePath, args: ['--no-sandbox', '--disable-gpu'] })
  const page = await browser.newPage({ viewport: { width: 1440, height: 1000 } })
  const settled = async () => {
    await page.waitForLoadState('networkidle')
    await page.waitForTimeout(500)
    await page.waitForSelector('main[aria-busy=false] .card')
  }
  await page.goto(url)
  await settled()
  return {
    page,
    settled,
    async begin(preset) {
      await page.getByRole('button', { name: preset, exact: true }).click()
      await settled()
    },
    close: () => browser.close(),
  }
}
