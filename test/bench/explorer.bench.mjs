import { readFileSync } from 'node:fs'
import { openExplorer } from './explorer/chromium.mjs'
import { LONG_TASK_MS, longestTask } from './explorer/tasks.mjs'
import { keyToPicture } from './explorer/typing.mjs'
import { atMost } from './harness/floors.mjs'
import { median } from './harness/rounds.mjs'
import { startService } from './harness/service.mjs'
import { figure } from './harness/text.mjs'

/** Within this a person takes a reaction for immediate (Miller 1968, Nielsen 1993). */
const KEY_TO_PICTURE_MS = 100

const CHARACTERS = 5000

/** The service's page in Chromium: what a long text costs the reader. */
export async function bench({ rounds, say }) {
  const service = await startService()
  const explorer = await openExplorer(`${service.url}/`)
  const long = []
  const typed = []
  try {
    if (explorer === undefined) say('Chromium is absent: nothing is measured. CHROMIUM names one.')
    else {
      for (let round = 0; round < rounds; round++) {
        await explorer.begin('The cat moves')
        long.push(await longestTask(explorer.page, () => explorer.begin('100,000 tokens')))
      }
      typed.push(...(await typing(explorer, rounds)))
    }
  } finally {
    await explorer?.close()
    await service.stop()
  }
  const row = (what, figures, limit) => [what, figures.map(figure).join(', ') || '–', `${limit}`]
  return {
    title: 'The page in Chromium, milliseconds',
    notes: [
      `The browser reports tasks from ${LONG_TASK_MS} ms on; 0.00 says that there was none. ` +
        'Clock times: other work of the machine is in them.',
    ],
    head: ['', 'each round', 'limit'],
    rows: [
      row('longest task, 100,000 tokens', long, LONG_TASK_MS),
      row(`key to picture, ${figure(CHARACTERS)} characters`, typed, KEY_TO_PICTURE_MS),
    ],
    floors:
      explorer === undefined
        ? []
        : [
            atMost('longest task, 100,000 tokens', median(long), LONG_TASK_MS, 'ms'),
            atMost('key to picture', median(typed), KEY_TO_PICTURE_MS, 'ms'),
          ],
  }
}

/** A key at the end of `CHARACTERS` characters in windows of 256, `rounds` times. */
async function typing({ page, begin, settled }, rounds) {
  const sample = readFileSync(new URL('../../docs/sample.txt', import.meta.url), 'utf8')
  await begin('The cat moves')
  await page.selectOption('#field-documents', 'one')
  await page.fill('#field-context_length', '256')
  await page.fill('#field-text', sample.repeat(2).slice(0, CHARACTERS))
  await settled()
  const took = []
  for (let round = 0; round < rounds; round++) {
    took.push(await keyToPicture(page))
    await settled()
  }
  return took
}
