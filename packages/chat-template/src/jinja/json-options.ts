import { failed, unsupported } from '../refusals.js'
import { named, textArgument } from './arguments.js'
import type { Budget } from './budget.js'
import type { JsonOptions } from './json.js'
import { type CallArguments, items, truth, type Value } from './values.js'

/** The arguments of `tojson`. */
export function jsonOptions(args: CallArguments, budget: Budget): JsonOptions {
  const {
    ensure_ascii = false,
    indent = null,
    separators = null,
    sort_keys = false,
  } = named(args, 'tojson', ['ensure_ascii', 'indent', 'separators', 'sort_keys'])
  return {
    ensureAscii: truth(ensure_ascii),
    indent: indent === null ? undefined : indentText(indent),
    separators:
      separators === null ? [indent === null ? ', ' : ',', ': '] : separatorPair(separators, budget),
    sortKeys: truth(sort_keys),
  }
}

/** Most characters of a level of indent, and of a separator in JSON. */
const MAX_INDENT = 64

/** A level of indent: spaces, or a text. @throws ChatError `template_unsupported` for a long one */
export function indentText(indent: Value): string {
  if (typeof indent === 'string' && indent.length <= MAX_INDENT) return indent
  if (typeof indent !== 'number' || indent > MAX_INDENT)
    throw unsupported(`an indent of more than ${MAX_INDENT} spaces`)
  return ' '.repeat(Math.max(indent, 0))
}

function separatorPair(separators: Value, budget: Budget): [string, string] {
  const pair = items(separators, budget)
  if (pair.length !== 2) throw failed('separators must be two')
  const [between, behind] = [textArgument(pair[0], 'tojson'), textArgument(pair[1], 'tojson')]
  if (between.length + behind.length <= MAX_INDENT) return [between, behind]
  throw unsupported(`separators of more than ${MAX_INDENT} characters`)
}
