import { failed, unsupported } from '../refusals.js'
import { named, textArgument } from './arguments.js'
import { split, splitLines, splitRight } from './splits.js'
import { inCase } from './string-case.js'
import { type CallArguments, items, Tuple, text, type Value } from './values.js'
import { lstrip, rstrip, strip } from './white-space.js'

type Method = (self: string, args: CallArguments) => Value

/** A method of a text; undefined: one that is not rendered here. */
export function stringMethod(self: string, name: string): ((args: CallArguments) => Value) | undefined {
  const method = Object.hasOwn(STRING_METHODS, name) ? STRING_METHODS[name] : undefined
  return method && ((args) => method(self, args))
}

const STRING_METHODS: Readonly<Record<string, Method>> = {
  strip: stripping(strip),
  lstrip: stripping(lstrip),
  rstrip: stripping(rstrip),
  split: (self, args) => split(self, named(args, 'split', ['sep', 'maxsplit'])),
  rsplit: (self, args) => splitRight(self, named(args, 'rsplit', ['sep', 'maxsplit'])),
  splitlines: (self, args) => {
    needCount('splitlines', args, 0, 0)
    return splitLines(self)
  },
  startswith: (self, args) => ends('startswith', args, (part) => self.startsWith(part)),
  endswith: (self, args) => ends('endswith', args, (part) => self.endsWith(part)),
  replace: (self, args) => {
    const [old, next, count = -1] = needCount('replace', args, 2, 3)
    return replaced(self, textArgument(old, 'replace'), textArgument(next, 'replace'), count)
  },
  removeprefix: (self, args) => {
    const prefix = textArgument(needCount('removeprefix', args, 1, 1)[0], 'removeprefix')
    return self.startsWith(prefix) ? self.slice(prefix.length) : self
  },
  removesuffix: (self, args) => {
    const suffix = textArgument(needCount('removesuffix', args, 1, 1)[0], 'removesuffix')
    return suffix !== '' && self.endsWith(suffix) ? self.slice(0, -suffix.length) : self
  },
  join: (self, args) => {
    const [parts] = needCount('join', args, 1, 1)
    return items(parts!)
      .map((part) => textArgument(part, 'join'))
      .join(self)
  },
  upper: cased('upper'),
  lower: cased('lower'),
  capitalize: cased('capitalize'),
  format: (self, args) => formatted(self, args),
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

function stripping(by: (self: string, characters?: string) => string): Method {
  return (self, args) => {
    const [characters] = needCount('strip', args, 0, 1)
    if (characters === undefined || characters === null) return by(self)
    return by(self, stripSet(characters))
  }
}

/** The characters of `strip`. */
export function stripSet(characters: Value): string {
  const set = textArgument(characters, 'strip')
  if (/[\ud800-\udfff]/.test(set)) throw unsupported('`strip` of characters beyond U+FFFF')
  return set
}

function cased(to: 'upper' | 'lower' | 'capitalize'): Method {
  return (self, args) => {
    needCount(to, args, 0, 0)
    return inCase(self, to)
  }
}

function ends(name: string, args: CallArguments, has: (part: string) => boolean): boolean {
  const [parts] = needCount(name, args, 1, 1)
  if (typeof parts === 'string') return has(parts)
  if (parts instanceof Tuple) return parts.items.some((part) => has(textArgument(part, name)))
  throw failed(`${name} first arg must be str or a tuple of str`)
}

/** `str.replace`. */
export function replaced(self: string, old: string, next: string, count: Value): string {
  if (old === '') throw unsupported('`replace` of an empty text')
  if (typeof count !== 'number') throw unsupported('`replace` with a count that is no integer')
  if (count < 0) return self.replaceAll(old, () => next)
  const parts = self.split(old)
  const most = Math.min(count, parts.length - 1)
  return [parts.slice(0, most + 1).join(next), ...parts.slice(most + 1)].join(old)
}

/** `'{} {1} {name}'.format(…)`, without formats of numbers. */
function formatted(self: string, { positional, keyword }: CallArguments): string {
  let next = 0
  let isNumbered = false
  return self.replace(/\{\{|\}\}|\{(\w*)\}|[{}]/g, (found, field: string | undefined) => {
    if (found === '{{' || found === '}}') return found[0]!
    if (field === undefined) throw unsupported('`format` with a field that has more than a name')
    const isNumber = /^\d+$/.test(field)
    isNumbered ||= isNumber
    if (field === '' && isNumbered) throw unsupported('`format` with fields with and without a number')
    const value =
      field === '' ? positional[next++] : isNumber ? positional[Number(field)] : keyword.get(field)
    if (value === undefined) throw failed('Replacement index out of range for positional args tuple')
    return text(value)
  })
}
