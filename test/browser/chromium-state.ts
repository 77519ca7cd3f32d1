import { chromiumPath } from './chromium.js'

/** Says where the browser is, or that its tests are skipped. */
export default function setup(): void {
  const said = chromiumPath ?? 'none here: the tests in a browser are skipped. CHROMIUM names one.'
  process.stderr.write(`Chromium: ${said}\n`)
}
