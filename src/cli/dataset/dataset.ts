import type { CommandGroup } from '../command.js'
import { ls, rm, show } from './listing.js'
import { plan } from './plan.js'
import { push } from './push.js'

/** `inlet dataset …`: corpora that a service keeps as ids. */
export const dataset: CommandGroup = {
  name: 'dataset',
  summary: 'Uploads corpora to a service, lists and deletes them, and forecasts training runs over them.',
  commands: [push, ls, show, rm, plan],
}
