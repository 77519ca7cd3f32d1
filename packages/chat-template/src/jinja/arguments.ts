import { failed, unsupported } from '../errors.js'
import type { Budget } from './budget.js'
import { type CallArguments, Markup, type Value } from './values.js'

/** What a filter or a method makes of a value. @param name of the filter, for messages */
export type Method<Self> = (self: Self, args: CallArguments, budget: Budget, name: string) => Value
type Given = readonly (Value | undefined)[]

/** The names of all parameters; or how many of them are known here, all by their place. */
type Parameters = number | readonly string[]

/** One that takes arguments. @param by what it makes of a value and of these, undefined where one is not given */
export function taking<Self>(
  parameters: Parameters,
  by: (self: Self, given: Given, budget: Budget) => Value,
): Method<Self> {
  return (self, args, budget, name) => by(self, placed(name, parameters, args), budget)
}

/** One that takes none. */
export const plain = <Self>(by: (self: Self, budget: Budget) => Value): Method<Self> =>
  taking([], (self, _, budget) => by(self, budget))

/**
 * The arguments of a function of Python's in the order of its parameters: undefined for one that is not given.
 *
 * @throws ChatError `template_failed` for an argument too many
 */
function placed(callee: string, parameters: Parameters, { positional, keyword }: CallArguments): Given {
  const values: (Value | undefined)[] = [...positional]
  if (typeof parameters === 'number') {
    if (values.length <= parameters && keyword.size === 0) return values
    throw unsupported(`\`${callee}\``, 'has arguments that are not rendered here')
  }
  if (values.length > parameters.length)
    throw failed(`${callee}() takes at most ${parameters.length} arguments`)
  for (const [name, value] of keyword) {
    const place = parameters.indexOf(name)
    if (place < 0 || values[place] !== undefined)
      throw failed(`${callee}() got an unexpected keyword argument '${name}'`)
    values[place] = value
  }
  return values
}

/** A needed argument that is a text. */
export function textArgument(value: Value | undefined, callee: string): string {
  if (typeof value === 'string') return value
  if (value instanceof Markup) throw unsupported(`an argument from \`safe\` of \`${callee}\``)
  throw failed(`${callee}() needs a str`)
}
