import { styleFor } from '../style.js'
import { visible } from '../visible.js'
import { countText, numberText } from './dataset-object.js'
import type { Plan } from './dataset-service.js'
import { columns } from './table.js'

/** A plan as a table: a line for each figure, its unit or what it is of behind it. */
export function forecast(plan: Plan, epochs: number): string {
  const { num_windows, num_batches, num_dropped_windows = 0, fill, recipe } = plan
  const slots = num_windows * Number(recipe.context_length)
  const rows = [
    ['windows', numberText(num_windows), `of ${numberText(Number(recipe.context_length))} tokens`],
    ['fill', `${(fill * 100).toFixed(2)} %`, `of ${countText(slots, 'slot')} hold tokens`],
    ['padding', numberText(plan.num_padding), 'slots'],
    ['dropped tokens', numberText(plan.num_dropped_tokens), ''],
    [
      'split documents',
      numberText(plan.num_split_documents),
      `the longest has ${countText(plan.longest_document, 'token')}`,
    ],
    ...(num_batches === undefined
      ? []
      : [
          ['dropped windows', numberText(num_dropped_windows), 'of a last, short batch'],
          [
            'batches an epoch',
            numberText(num_batches),
            `of ${countText(Number(recipe.batch_size), 'window')}`,
          ],
          ['steps', numberText(num_batches * epochs), `in ${countText(epochs, 'epoch')}`],
        ]),
  ]
  const lines = columns(rows, (column) => column === 1)
  return `${[...lines, ...sharesOf(plan), `recipe  ${visible(plan.recipe_id)}`].join('\n')}\n`
}

/** The members of a mixture, which has no end: their shares of a block, and where each has been read once. */
function sharesOf({ shares }: Plan): string[] {
  if (shares === undefined) return []
  const head = ['member', 'windows', 'of each 1,024', 'first epoch ends at window']
  const rows = shares.map((share) => [
    visible(share.dataset),
    numberText(share.num_windows),
    share.windows_per_block.map(numberText).join(' → '),
    share.first_epoch_ends_at === null ? 'never' : numberText(share.first_epoch_ends_at),
  ])
  const [first, ...lines] = columns([head, ...rows], (column) => column > 0)
  return ['', styleFor(process.stdout).bold(first!), ...lines, '']
}
