import { presets } from '../recipe/presets.js'
import type { Position, Recipe } from '../recipe/recipe.js'

/** The content of a link: a recipe, whose text may be too long for it, and the step of the guided walk. */
export interface Shared {
  readonly recipe: Omit<Recipe, 'text'> & { readonly text?: string }
  readonly step?: number
}

const isCount = (value: unknown) => Number.isSafeInteger(value) && (value as number) >= 0
const isString = (value: unknown) => typeof value === 'string'
const oneOf =
  (...names: readonly string[]) =>
  (value: unknown) =>
    names.includes(value as string)

/** The rule of each field. The service checks what it means. */
const RULES: Readonly<Record<keyof Recipe, (value: unknown) => boolean>> = {
  text: isString,
  documents: oneOf('one', 'lines', 'ids'),
  model: isString,
  context_length: isCount,
  stride: isCount,
  tail: oneOf('drop', 'pad'),
  pad_token_id: isCount,
  batch_size: isCount,
  batch_index: isCount,
  shuffle: (value) => typeof value === 'boolean',
  seed: Number.isSafeInteger,
  position_embedding: isPosition,
  position_offset: isCount,
  architecture: isString,
}

/**
 * Reads a link's JSON. Fields that this page does not know are left out.
 *
 * @throws RangeError for JSON that is no recipe
 */
export function readShared(json: unknown): Shared {
  if (!isObject(json) || !isObject(json.recipe)) throw new RangeError('no recipe')
  const { recipe, step } = json
  const fields: Record<string, unknown> = {}
  for (const [name, rule] of Object.entries(RULES)) {
    const value = recipe[name]
    if (value === undefined) continue
    if (!rule(value)) throw new RangeError(`no ${name}`)
    fields[name] = value
  }
  const shared = { documents: 'one', batch_size: 8, batch_index: 0, ...fields } as Shared['recipe']
  return { recipe: shared, step: isCount(step) ? (step as number) : undefined }
}

/** The same recipe as the page knows it: a preset stays that preset. */
export function known(recipe: Recipe): Recipe {
  return presets.find((preset) => isEqual(preset.recipe, recipe))?.recipe ?? recipe
}

function isEqual(one: Recipe, other: Recipe): boolean {
  const names = Object.keys(RULES) as (keyof Recipe)[]
  return names.every((name) => JSON.stringify(one[name]) === JSON.stringify(other[name]))
}

function isPosition(value: unknown): value is Position {
  return (
    isObject(value) &&
    isString(value.type) &&
    Object.values(value).every((each) => ['string', 'number', 'boolean'].includes(typeof each))
  )
}

function isObject(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
