import { z } from 'zod'
import { InletError, invalidField, quoted } from '../errors.js'
import { boundedList, numberList } from '../options/lists.js'
import { parse } from '../options/parse.js'
import { MAX_INT32, notAnId } from '../windows/id-lists.js'
import { type LearnableName, POSITION_TABLE, TOKEN_TABLE } from './gradient-call.js'
import { notNegative, OPTIMIZERS, type OptimizerLaw } from './optimizers.js'

const TABLES = [TOKEN_TABLE, POSITION_TABLE] as const

/** An optimizer whose options agree, and what it moves. */
export interface Optimizer {
  readonly type: string
  readonly law: OptimizerLaw
  /** Options of the law, defaults filled in. */
  readonly options: Readonly<Record<string, unknown>>
  readonly tables: readonly LearnableName[]
  /** The only rows of `wte.weight` that move. Absent: all. */
  readonly rows?: Int32Array | undefined
}

/** Most rows by name: those that are many move all together. */
const MAX_ROWS = 65_536

function notARow(value: unknown): string | undefined {
  return notAnId(value) ?? ((value as number) > MAX_INT32 ? `must be at most ${MAX_INT32}` : undefined)
}

const whatMoves = {
  tables: boundedList(z.enum(TABLES), TABLES.length)
    .optional()
    .describe('The tables that move. Default: those of the two that the model has.'),
  rows: numberList(MAX_ROWS, notARow, { type: 'integer', minimum: 0, maximum: MAX_INT32 })
    .optional()
    .describe('Ids: only these rows of `wte.weight` move, whatever comes. Default: all.'),
}

const types = Object.entries(OPTIMIZERS).map(([type, { options }]) =>
  z.strictObject({ type: z.literal(type), ...options.shape, ...whatMoves }),
)

/** An optimizer: names, defaults and meaning are those of `torch.optim`. */
export const optimizerOptions = z.discriminatedUnion('type', types as [(typeof types)[number]], {
  error: ({ code }) =>
    code === 'invalid_union' ? `must be one of ${Object.keys(OPTIMIZERS).join(', ')}` : undefined,
})

/** Options that a step may override: the trainer computes schedules and clipping. */
export const stepOptions = z.strictObject({
  lr: notNegative().optional().describe('Learning rate of this step.'),
  scale: notNegative()
    .optional()
    .describe('Factor of the gradients, before all else: `clip_grad_norm_`’s. Default: 1.'),
  weight_decay: notNegative().optional().describe('Weight decay of this step.'),
})

/**
 * Reads an optimizer, defaults filled in: `{ type: 'sgd', lr: 0.1 }`. Names, defaults and rules are those of `torch.optim`;
 * `tables` are by default those that the model has of `wte.weight` and `wpe.weight`.
 *
 * @param tableRows rows of the model's tables
 * @throws InletError `invalid_request` that names the field, its rule and the value given
 */
export function readOptimizer(
  given: Readonly<Record<string, unknown>>,
  tableRows: Readonly<Partial<Record<LearnableName, number>>>,
): Optimizer {
  const { rows, ...others } = given
  const { type, tables, rows: _, ...options } = parse(optimizerOptions, others)
  const law = OPTIMIZERS[type]
  const problem = law.problem?.(options)
  if (problem !== undefined) throw invalidField(problem[0], problem[1], given[problem[0]])
  const held = TABLES.filter((name) => tableRows[name] !== undefined)
  const chosen = held.filter((name) => tables?.includes(name) ?? true)
  if (tables !== undefined && chosen.length !== tables.length)
    throw invalidField('tables', `must be some of the model’s tables ${held.join(', ')}`, tables)
  return { type, law, options, tables: chosen, rows: readRows(rows, chosen, tableRows) }
}

/** The optimizer as it is asked for, defaults filled in. */
export function describeOptimizer({ type, options, tables, rows }: Optimizer): Record<string, unknown> {
  return { type, ...options, tables, ...(rows !== undefined && { rows: [...rows] }) }
}

/**
 * The law's options for one step.
 *
 * @throws InletError `invalid_request`, also for a weight decay where the optimizer has none
 */
export function readStepOptions(
  { type, law, options }: Optimizer,
  given: Readonly<Record<string, unknown>>,
): { readonly options: Readonly<Record<string, unknown>>; readonly scale: number } {
  const { scale = 1, ...overrides } = parse(stepOptions, given)
  if (overrides.weight_decay !== undefined && !Object.hasOwn(law.options.shape, 'weight_decay'))
    throw invalidField('weight_decay', `is not an option of ${type}`, overrides.weight_decay)
  return { options: { ...options, ...overrides }, scale }
}

function readRows(
  rows: unknown,
  tables: readonly LearnableName[],
  tableRows: Readonly<Partial<Record<LearnableName, number>>>,
): Int32Array | undefined {
  if (rows === undefined) return undefined
  const isList = Array.isArray(rows) || rows instanceof Int32Array
  if (!isList || rows.length === 0) throw invalidField('rows', 'must be an array of ids, at least one', rows)
  if (!tables.includes(TOKEN_TABLE)) throw invalidField('rows', 'needs wte.weight among `tables`', rows)
  const count = tableRows[TOKEN_TABLE]!
  const seen = new Set<unknown>()
  for (const [i, id] of rows.entries()) {
    const path = `rows.${i}`
    if (!Number.isInteger(id) || id < 0) throw invalidField(path, 'must be an integer from 0', id)
    if (id >= count) {
      const message = `${quoted(path)} must be below \`vocab_size\` ${count}. Given: ${id}`
      throw new InletError('token_out_of_range', message, path)
    }
    if (seen.has(id)) throw invalidField(path, 'must not be there twice', id)
    seen.add(id)
  }
  return Int32Array.from(rows)
}
