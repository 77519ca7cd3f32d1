import { failed, unsupported } from '../refusals.js'
import { named, textArgument } from './arguments.js'
import type { Budget } from './budget.js'
import { Output } from './output.js'
import { partsOf, split, splitLines, splitRight } from './splits.js'
import { inCase } from './string-case.js'
import { text } from './text.js'
import { type CallArguments, items, Markup, Tuple, type Value } from './values.js'
import { among, lstrip, rstrip, type Stripped, strip } from './white-space.js'

type Method = (self: string, args: CallArguments, budget: Budget) => Value

/** A method of a text; undefined: one that is not rendered here. */
export function stringMethod(
  self: string,
  name: string,
): ((args: CallArguments, budget: Budget) => Value) | undefined {
  const method = Object.hasOwn(STRING_METHODS, name) ? STRING_METHODS[name] : undefined
  if (method === undefined) return undefined
  return (args, budget) => {
    budget.takeText(self.length)
    return method(self, args, budget)
  }
}

const STRING_METHODS: Readonly<Record<string, Method>> = {
  strip: stripping(strip),
  lstrip: stripping(lstrip),
  rstrip: stripping(rstrip),
  split: (self, args, budget) => split(self, named(args, 'split', ['sep', 'maxsplit']), budget),
  rsplit: (self, args, budget) => splitRight(self, named(args, 'rsplit', ['sep', 'maxsplit']), budget),
  splitlines: (self, args, budget) => {
    if (needCount('splitlines', args, 0, 1).length > 0) throw unsupported('an argument of `splitlines`')
    return splitLines(self, budget)
  },
  startswith: (self, args, budget) => ends('startswith', args, budget, (part) => self.startsWith(part)),
  endswith: (self, args, budget) => ends('endswith', args, budget, (part) => self.endsWith(part)),
  replace: (self, args, budget) => {
    const [old, next, count = -1] = needCount('replace', args, 2, 3)
    return replaced(self, textArgument(old, 'replace'), textArgument(next, 'replace'), count, budget)
  },
  removeprefix: (self, args) => {
    const prefix = textArgument(needCount('removeprefix', args, 1, 1)[0], 'removeprefix')
    return self.startsWith(prefix) ? self.slice(prefix.length) : self
  },
  removesuffix: (self, args) => {
    const suffix = textArgument(needCount('removesuffix', args, 1, 1)[0], 'removesuffix')
    return suffix !== '' && self.endsWith(suffix) ? self.slice(0, -suffix.length) : self
  },
  join: (self, args, budget) => {
    const [parts] = needCount('join', args, 1, 1)
    const texts = items(parts!, budget).map((part) => textArgument(part, 'join'))
    return joined(texts, self, budget)
  },
  upper: cased('upper'),
  lower: cased('lower'),
  capitalize: cased('capitalize'),
  format: formatted,
}

function needCount(
  name: string,
  { positional, keyword }: CallArguments,
  least: number,
  most: number,
): readonly Value[] {
  if (keyword.size > 0) throw unsupported(`keyword arguments of \`${name}\``)
  if (positional.length < least || positional.length > most)
    throw failed(`${name}() takes ${least} to ${most} arguments`)
  return positional
}

function stripping(by: typeof strip): Method {
  return (self, args, budget) => {
    const [characters = null] = needCount('strip', args, 0, 1)
    return by(self, budget, stripSet(characters, budget))
  }
}

/** The characters of `strip`; undefined: white space. */
export function stripSet(characters: Value, budget: Budget): Stripped | undefined {
  if (characters === null) return undefined
  const set = textArgument(characters, 'strip')
  budget.takeText(set.length, 50)
  if (/[\ud800-\udfff]/.test(set)) throw unsupported('`strip` of characters beyond U+FFFF')
  return among(set)
}

function cased(to: 'upper' | 'lower' | 'capitalize'): Method {
  return (self, args, budget) => {
    needCount(to, args, 0, 0)
    return inCase(self, to, budget)
  }
}

function ends(name: string, args: CallArguments, budget: Budget, has: (part: string) => boolean): boolean {
  const [parts, ...places] = needCount(name, args, 1, 3)
  if (places.length > 0) throw unsupported(`places of \`${name}\``)
  const isEnd = (part: string) => {
    budget.take()
    budget.takeText(part.length)
    return has(part)
  }
  if (typeof parts === 'string') return isEnd(parts)
  if (parts instanceof Markup) throw unsupported(`\`${name}\` of a text from \`safe\``)
  if (parts instanceof Tuple) return parts.items.some((part) => isEnd(textArgument(part, name)))
  throw failed(`${name} first arg must be str or a tuple of str`)
}

/** `separator.join(texts)`. */
export function joined(texts: readonly string[], separator: string, budget: Budget): string {
  budget.takeItems(texts.length)
  const characters = texts.reduce((sum, { length }) => sum + length, 0) + separator.length * texts.length
  budget.checkText(characters)
  budget.takeText(characters)
  return texts.join(separator)
}

/** `str.replace`. */
export function replaced(self: string, old: string, next: string, count: Value, budget: Budget): string {
  if (old === '') throw unsupported('`replace` of an empty text')
  if (typeof count !== 'number') throw unsupported('`replace` with a count that is no integer')
  const parts = partsOf(self, old, budget)
  if (count < 0) return joined(parts, next, budget)
  const most = Math.min(count, parts.length - 1)
  return [joined(parts.slice(0, most + 1), next, budget), ...parts.slice(most + 1)].join(old)
}

/** `'{} {1} {name}'.format(…)`, without formats of numbers. */
function formatted(self: string, { positional, keyword }: CallArguments, budget: Budget): string {
  const output = new Output(budget)
  let next = 0
  let isNumbered = false
  let at = 0
  for (const { 0: found, 1: field, index } of self.matchAll(/\{\{|\}\}|\{(\w*)\}|[{}]/g)) {
    budget.take()
    output.write(self.slice(at, index))
    at = index + found.length
    if (found === '{{' || found === '}}') {
      output.write(found[0])
      continue
    }
    if (field === undefined) throw unsupported('`format` with a field that has more than a name')
    const isNumber = /^\d+$/.test(field)
    isNumbered ||= isNumber
    if (isNumbered && (field === '' || next > 0))
      throw unsupported('`format` with fields with and without a number')
    const value =
      field === '' ? positional[next++] : isNumber ? positional[Number(field)] : keyword.get(field)
    if (value === undefined) throw failed('Replacement index out of range for positional args tuple')
    output.write(text(value, budget))
  }
  output.write(self.slice(at))
  return output.toString()
}
