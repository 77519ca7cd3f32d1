import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import type { AxeResults } from 'axe-core'
import type { Page } from 'playwright-core'

const source = readFile(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

const TAGS = ['wcag2a', 'wcag2aa', 'wcag21a', 'wcag21aa', 'wcag22aa', 'best-practice']

/**
 * Axe-core's findings against WCAG 2.2, A and AA: `color-contrast: #tokens .id Element has insufficient …`. It goes in
 * past the page's policy, which stays in force for the page.
 */
export async function found(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  const run = `axe.run(document, { runOnly: ${JSON.stringify(TAGS)}, resultTypes: ['violations'] })`
  const { result, exceptionDetails } = await session.send('Runtime.evaluate', {
    expression: `${await source};${run}`,
    awaitPromise: true,
    returnByValue: true,
    allowUnsafeEvalBlockedByCSP: true,
  })
  await session.detach()
  if (exceptionDetails !== undefined) throw new Error(exceptionDetails.exception?.description)
  return (result.value as AxeResults).violations.flatMap(({ id, nodes }) =>
    nodes.map(({ target, failureSummary }) => `${id}: ${target.join(' ')} ${failureSummary}`),
  )
}

const SCHEMES = [
  ['light', { colorScheme: 'light', forcedColors: 'none' }],
  ['dark', { colorScheme: 'dark', forcedColors: 'none' }],
  ['forced colours', { colorScheme: 'light', forcedColors: 'active' }],
] as const

/** The result of {@link found} on a phone and on a desk, light, dark and in forced colours. */
export async function foundEverywhere(page: Page): Promise<string[]> {
  const all: string[] = []
  for (const [name, media] of SCHEMES) {
    await page.emulateMedia(media)
    for (const width of [320, 1440]) {
      await page.setViewportSize({ width, height: 900 })
      all.push(...(await found(page)).map((each) => `${name}, ${width} px: ${each}`))
    }
  }
  return all
}
