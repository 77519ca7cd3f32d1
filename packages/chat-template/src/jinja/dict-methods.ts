import { failed, unsupported } from '../refusals.js'
import type { Budget } from './budget.js'
import { type CallArguments, type Dict, Iterable, Tuple, typeName, Undefined, type Value } from './values.js'

/** A method of a dict; undefined: one that is not rendered here. */
export function dictMethod(
  dict: Dict,
  name: string,
): ((args: CallArguments, budget: Budget) => Value) | undefined {
  if (name === 'get') return (args) => get(dict, args)
  const views: Readonly<Record<string, () => Value[]>> = {
    items: () => [...dict].map((entry) => new Tuple(entry)),
    keys: () => [...dict.keys()],
    values: () => [...dict.values()],
  }
  const view = Object.hasOwn(views, name) ? views[name] : undefined
  if (view === undefined) return undefined
  return ({ positional, keyword }, budget) => {
    if (positional.length + keyword.size > 0) throw failed(`dict.${name}() takes no arguments`)
    budget.takeItems(dict.size)
    return new Iterable('view', view())
  }
}

function get(dict: Dict, { positional, keyword }: CallArguments): Value {
  if (keyword.size > 0) throw failed('dict.get() takes no keyword arguments')
  if (positional.length < 1 || positional.length > 2) throw failed('get expected 1 or 2 arguments')
  const [key, otherwise = null] = positional
  if (typeof key === 'string' || typeof key === 'number') {
    const value = dict.get(key)
    return value === undefined ? otherwise : value
  }
  if (key === null || key instanceof Undefined) return otherwise
  throw unsupported(`\`get\` with a key of type ${typeName(key!)}`)
}
