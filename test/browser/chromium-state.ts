import { chromiumPath } from './chromium.js'
import { buildSite } from './static-site.js'

/** Says where the browser is, or that its tests are skipped; builds the site for it. */
export default function setup(): void {
  const said = chromiumPath ?? 'none here: the tests in a browser are skipped. CHROMIUM names one.'
  process.stderr.write(`Chromium: ${said}\n`)
  if (chromiumPath !== undefined) buildSite()
}
