import { z } from 'zod'
import { POSITION_TABLE, TOKEN_TABLE } from '../../first-layer/learning/gradient-call.js'
import { OPTIMIZERS } from '../../first-layer/learning/optimizers.js'
import { boundedList, numberList } from '../../first-layer/options/lists.js'
import { MAX_INT32, notAnId } from '../../first-layer/windows/id-lists.js'

/** Most rows by name: those that are many move all together. */
const MAX_ROWS = 65_536

/** The tables that can learn. */
export const LEARNABLE = [TOKEN_TABLE, POSITION_TABLE] as const

function notARow(value: unknown): string | undefined {
  return notAnId(value) ?? ((value as number) > MAX_INT32 ? `must be at most ${MAX_INT32}` : undefined)
}

const whatMoves = {
  tables: boundedList(z.enum(LEARNABLE), LEARNABLE.length)
    .optional()
    .describe('The tables that move. Default: those of the two that the model has.'),
  rows: numberList(MAX_ROWS, notARow, { type: 'integer', minimum: 0, maximum: MAX_INT32 })
    .optional()
    .describe('Ids: only these rows of `wte.weight` move, whatever comes. Default: all.'),
}

const types = Object.entries(OPTIMIZERS).map(([type, { options }]) =>
  z.strictObject({ type: z.literal(type), ...options.shape, ...whatMoves }),
)

/** The body of `PUT /v1/models/{model}/optimizer`: names, defaults and meaning are those of `torch.optim`. */
export const optimizerRequest = z.discriminatedUnion('type', types as [(typeof types)[number]], {
  error: ({ code }) =>
    code === 'invalid_union' ? `must be one of ${Object.keys(OPTIMIZERS).join(', ')}` : undefined,
})

/** The query of `POST /v1/models/{model}/gradients`. */
export const gradientsQuery = z.strictObject({
  position_offset: z
    .int()
    .min(0)
    .max(MAX_INT32)
    .optional()
    .describe('Position of the first column of `gradients`, where `position_ids` are not sent. Default: 0.'),
})
