import { failed, unsupported } from '../refusals.js'
import { type CallArguments, Markup, type Value } from './values.js'

/**
 * The arguments of a function of Python's by the names of its parameters: `named(args, 'split', ['sep', 'maxsplit'])`.
 *
 * @throws ChatError `template_failed` for an argument too many
 */
export function named<Name extends string>(
  { positional, keyword }: CallArguments,
  callee: string,
  parameters: readonly Name[],
): Partial<Record<Name, Value>> {
  if (positional.length > parameters.length)
    throw failed(`${callee}() takes at most ${parameters.length} arguments`)
  const values: Partial<Record<Name, Value>> = {}
  positional.forEach((value, i) => {
    values[parameters[i]] = value
  })
  for (const [name, value] of keyword) {
    if (!parameters.includes(name as Name) || values[name as Name] !== undefined)
      throw failed(`${callee}() got an unexpected keyword argument '${name}'`)
    values[name as Name] = value
  }
  return values
}

/** A needed argument that is a text. */
export function textArgument(value: Value | undefined, callee: string): string {
  if (typeof value === 'string') return value
  if (value instanceof Markup) throw unsupported(`an argument from \`safe\` of \`${callee}\``)
  throw failed(`${callee}() needs a str`)
}
