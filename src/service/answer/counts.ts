import { COUNT_NAMES, type CountName } from '../../first-layer/answer.js'

/** The headers of the counts, as documents write them: `num_tokens` → `X-Num-Tokens`. */
export const COUNT_HEADERS = Object.fromEntries(
  COUNT_NAMES.map((name) => [name, `X-${name}`.replace(/[-_]./g, (at) => `-${at[1].toUpperCase()}`)]),
) as Readonly<Record<CountName, string>>

/** The same in lower case: the framework would make it so for each answer. `num_tokens` → `x-num-tokens`. */
export const countKeys = Object.fromEntries(
  COUNT_NAMES.map((name) => [name, COUNT_HEADERS[name].toLowerCase()]),
) as Readonly<Record<CountName, string>>
