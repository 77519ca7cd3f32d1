import { type CodePoints, difference, EVERY, intersection, union } from '../unicode/code-points.js'
import { joined } from '../vocabulary.js'
import { type Pattern, parsePattern, Unsupported } from './pattern-syntax.js'

/** A pattern as the kernel runs it (scan.ts). Plain data. */
export interface PatternTable {
  /**
   * The class of code point c is `pages[index[c >> 8] * 256 + (c & 255)]`: the index (uint16), the pages (equal ones once, the
   * first that of ASCII), and for each class the parts of the text, as bits, of which its characters are: no piece has
   * characters of two.
   */
  readonly classes: Uint8Array
  readonly numClasses: number
  /** For each state a row of entries, by class, and behind them one for the end of the text. */
  readonly transitions: Uint32Array
}

// An entry of `transitions`: the byte offset of the next state's row, and what is known before the character.
/** A piece may end here. */
const MATCH = 1
/** A piece ends here, and the next state is that behind the next piece's first character. */
const END = 2
/** Nothing longer matches: the piece ends at the last match; if there was none, nothing matches where it begins. */
const STOP = 4

const CODE_POINTS = 0x110000
const PAGE = 256
/** Bounds of the tables: more than any known file needs. */
const MAX_STEPS = 4000
const MAX_STATES = 1000
const MAX_CLASSES = 127
const MAX_REGIONS = 8

/** The pattern of GPT-2, which `ByteLevel` brings along. */
export const GPT2 = String.raw`'(?:[sdmt]|ll|ve|re)| ?\p{L}+| ?\p{N}+| ?[^\s\p{L}\p{N}]+|\s+(?!\S)|\s+`

/**
 * The table for regular expressions that cut a text one after the other: each cuts the pieces of those before it into its
 * matches and what lies between them. All but the last must be runs of one set of characters, `\p{N}{1,3}`, or several.
 *
 * @param keepsAll whether the text between matches is wanted too; else undefined for a pattern that leaves some
 * @returns undefined for patterns whose pieces the kernel would not find exactly
 */
export function patternTable(sources: readonly string[], keepsAll = true): PatternTable | undefined {
  try {
    const regions: CodePoints[] = []
    let pattern = parsePattern(sources.at(-1)!)
    for (const source of sources.slice(0, -1).reverse())
      pattern = isolated(parsePattern(source), pattern, regions)
    const { classes, starts } = classesOf([...setsOf(pattern), ...regions])
    const { entries } = transitionsOf(pattern, classes.length, (set, kind) => has(set, classes[kind]))
    if (!keepsAll && mayFail(entries, classes.length)) return undefined
    const bits = classes.map((one) => regions.reduce((sum, set, i) => sum | (Number(has(set, one)) << i), 0))
    return { ...classTable(starts, Uint8Array.from(bits)), transitions: entries }
  } catch (error) {
    if (error instanceof Unsupported) return undefined
    throw error
  }
}

/** Kinds of characters that `tableOfCuts` tells apart: each of ASCII, and others by blocks of 64. */
const KINDS = 255
const kindOf = (codePoint: number) => (codePoint < 128 ? codePoint : 128 + ((codePoint >> 6) % (KINDS - 128)))

/**
 * The table that cuts a text between two characters wherever none of the texts `whole` has such two side by side, but not
 * within blanks, of which up to `blanks` are a piece of their own.
 */
export function tableOfCuts(whole: Iterable<string>, blanks = 1): PatternTable {
  const starts: [number, number][] = []
  for (let at = 0; at < CODE_POINTS; at += at < 128 ? 1 : 64) starts.push([at, kindOf(at)])
  // A state is the kind of the last character, the first one the beginning of a piece; the last ones are two blanks and more.
  const transitions = Uint32Array.from({ length: (KINDS + 1 + blanks) * (KINDS + 1) }, (_, i) => {
    const kind = i % (KINDS + 1)
    if (i <= KINDS) return kind < KINDS ? (kind + 1) << 10 : STOP
    return kind < KINDS ? ((kind + 1) << 10) | END | MATCH : MATCH
  })
  for (const text of whole) {
    let row = 0
    for (const character of text) {
      const kind = kindOf(character.codePointAt(0)!)
      transitions[row + kind] &= ~END
      row = (kind + 1) * (KINDS + 1)
    }
  }
  if (blanks > 1) {
    const blank = kindOf(32)
    const rowOf = (run: number) => (run === 1 ? blank + 1 : KINDS - 1 + run) * (KINDS + 1)
    // A blank inside a piece: if another follows, the piece ends before both.
    const inside = rowOf(blanks + 1)
    transitions.copyWithin(inside, rowOf(1), rowOf(1) + KINDS + 1)
    transitions[inside + blank] = STOP
    for (let row = KINDS + 1; row < rowOf(2); row += KINDS + 1)
      if (!(transitions[row + blank] & END)) transitions[row + blank] = (inside << 2) | MATCH
    for (let run = 1; run < blanks; run++) transitions[rowOf(run) + blank] = (rowOf(run + 1) << 2) | MATCH
  }
  return { ...classTable(starts, new Uint8Array(KINDS)), transitions }
}

function has(set: CodePoints, codePoint: number): boolean {
  let count = 0
  while (count < set.length && set[count] <= codePoint) count++
  return count % 2 === 1
}

/** `pattern` within the pieces that runs of sets leave: within runs, and between them. */
function isolated(runs: Pattern, pattern: Pattern, regions: CodePoints[]): Pattern {
  const ways = runs.type === 'choice' ? runs.parts : [runs]
  let all = pattern
  for (const way of ways.toReversed()) {
    const [only] = way.type === 'row' && way.parts.length === 1 ? way.parts : [way]
    const run = only.type === 'repeat' ? only : { part: only, min: 1, max: 1, isLazy: false }
    if (run.part.type !== 'set' || run.min !== 1 || run.isLazy || regions.length === MAX_REGIONS)
      throw new Unsupported()
    const { set } = run.part
    if (regions.some((other) => intersection(other, set).length > 0)) throw new Unsupported()
    const outside = within(all, difference(EVERY, set))
    const inside = within(all, set)
    if (run.max !== Number.POSITIVE_INFINITY && !leavesWhole(inside, set)) throw new Unsupported()
    const piece = run.max === Number.POSITIVE_INFINITY ? inside : { type: 'repeat' as const, ...run }
    regions.push(set)
    all = { type: 'choice', parts: [piece, outside] }
  }
  return all
}

/** Whether a pattern leaves each text of characters of `set` in one piece: it matches all of it, or nothing. */
function leavesWhole(pattern: Pattern, set: CodePoints): boolean {
  const { classes } = classesOf([...setsOf(pattern), set])
  const inside = classes.filter((one) => has(set, one))
  const { entries, rowBits } = transitionsOf(pattern, inside.length, (other, kind) =>
    has(other, inside[kind]),
  )
  const rows = Array.from({ length: entries.length >> rowBits }, (_, row) =>
    entries.subarray(row << rowBits, (row << rowBits) + inside.length + 1),
  )
  return (
    rows.every((row) => row.every((entry) => (entry & MATCH) === 0)) ||
    rows.every((row, i) =>
      row.every((entry, kind) =>
        kind === inside.length ? i === 0 || entry & MATCH : entry > MATCH && (entry & (END | STOP)) === 0,
      ),
    )
  )
}

/** A pattern for texts of characters of `part` alone: any other character is the end of the text. */
function within(pattern: Pattern, part: CodePoints): Pattern {
  if (pattern.type === 'ahead' && pattern.orEnd)
    return { ...pattern, set: union(pattern.set, difference(EVERY, part)) }
  if ('set' in pattern) return { ...pattern, set: intersection(pattern.set, part) }
  if ('part' in pattern) return { ...pattern, part: within(pattern.part, part) }
  return { ...pattern, parts: pattern.parts.map((one) => within(one, part)) }
}

function setsOf(pattern: Pattern): CodePoints[] {
  if ('set' in pattern) return [pattern.set]
  return 'part' in pattern ? setsOf(pattern.part) : pattern.parts.flatMap(setsOf)
}

/** The classes of code points that no set tells apart: a code point of each, and where which class begins. */
function classesOf(sets: readonly CodePoints[]) {
  const toggles = new Map<number, Set<number>>([[0, new Set()]])
  const distinct = [...new Map(sets.map((set) => [set.join(), set])).values()]
  for (const [i, set] of distinct.entries())
    for (const place of set) toggles.set(place, (toggles.get(place) ?? new Set()).add(i))
  const numbers = new Map<string, number>()
  const classes: number[] = []
  const starts: [number, number][] = []
  const isIn = distinct.map(() => '0')
  for (const place of [...toggles.keys()].sort((a, b) => a - b)) {
    for (const i of toggles.get(place)!) isIn[i] = isIn[i] === '0' ? '1' : '0'
    const key = isIn.join('')
    if (!numbers.has(key)) numbers.set(key, classes.push(place) - 1)
    starts.push([place, numbers.get(key)!])
  }
  if (classes.length > MAX_CLASSES) throw new Unsupported()
  return { classes, starts }
}

function classTable(starts: readonly (readonly [number, number])[], regions: Uint8Array) {
  const all = new Uint8Array(CODE_POINTS)
  for (const [i, [place, kind]] of starts.entries()) all.fill(kind, place, starts[i + 1]?.[0])
  const numbers = new Map<string, number>()
  const index = Uint16Array.from({ length: CODE_POINTS / PAGE }, (_, page) => {
    const key = Buffer.from(all.buffer, page * PAGE, PAGE).toString('latin1')
    if (!numbers.has(key)) numbers.set(key, numbers.size)
    return numbers.get(key)!
  })
  const pages = Buffer.from([...numbers.keys()].join(''), 'latin1')
  return { classes: joined([new Uint8Array(index.buffer), pages, regions]), numClasses: regions.length }
}

/** A step of a pattern's program: to match, it goes on to the steps of `next`, in the order in which they are preferred. */
interface Step {
  readonly next: readonly number[]
  /** The character that it takes, or with `orEnd` looks at. */
  readonly set?: CodePoints
  readonly orEnd?: boolean | undefined
}

/** The program of a pattern; its last step is reached where the pattern has matched. */
function programOf(pattern: Pattern): Step[] {
  const steps: Step[] = []
  const add = (step: Step) => {
    if (steps.length === MAX_STEPS) throw new Unsupported()
    return steps.push(step) - 1
  }
  /** Adds the steps of `part`, behind which `next` follows; returns the first. Written from the end to the start. */
  const write = (part: Pattern, next: number): number => {
    switch (part.type) {
      case 'set':
        return add({ set: part.set, next: [next] })
      case 'ahead':
        return add({ set: part.set, orEnd: part.orEnd, next: [next] })
      case 'row':
        return part.parts.reduceRight((after, one) => write(one, after), next)
      case 'choice':
        return add({ next: part.parts.map((one) => write(one, next)) })
      case 'repeat':
        return repeat(part, next)
      case 'look':
        throw new Unsupported() // states would have to follow what is ahead beside what is taken
    }
  }
  const repeat = ({ part, min, max, isLazy }: Pattern & { type: 'repeat' }, next: number) => {
    const either = (again: number) => (isLazy ? [next, again] : [again, next])
    let first = next
    if (max === Number.POSITIVE_INFINITY) {
      const loop = add({ next: [] })
      steps[loop] = { next: either(write(part, loop)) }
      first = loop
    } else {
      for (let i = min; i < max; i++) first = add({ next: either(write(part, first)) })
    }
    for (let i = 0; i < min; i++) first = write(part, first)
    return first
  }
  const match = add({ next: [] })
  add({ next: [write(pattern, match)] })
  return steps
}

/**
 * The states of a search that finds what Oniguruma finds: the first alternative that matches, not the longest. A state is
 * the list of steps at which the search may be, the preferred ones first; a match ends those behind it.
 */
function transitionsOf(pattern: Pattern, classes: number, isIn: (set: CodePoints, kind: number) => boolean) {
  const steps = programOf(pattern)
  const rowBits = Math.ceil(Math.log2(classes + 1))
  const states: (readonly number[])[] = [[steps.length - 1]]
  const numbers = new Map([[states[0].join(), 0]])
  const known = new Map<CodePoints, boolean[]>()
  const holds = (set: CodePoints, kind: number) => {
    const list = known.get(set) ?? Array.from({ length: classes }, (_, one) => isIn(set, one))
    known.set(set, list)
    return list[kind] === true
  }
  /** The steps that follow those of `state` once a character of the class is taken, and whether the pattern matches before it. */
  const follow = (state: readonly number[], kind: number) => {
    const taken = new Set<number>()
    const seen = new Set<number>()
    const reach = (at: number): boolean => {
      if (at === 0) return true
      if (seen.has(at)) return false
      seen.add(at)
      const { set, orEnd, next } = steps[at]
      if (set !== undefined && orEnd === undefined) {
        if (kind < classes && holds(set, kind)) taken.add(next[0])
        return false
      }
      if (set !== undefined && !(kind < classes ? holds(set, kind) : orEnd)) return false
      return next.some(reach)
    }
    return { isMatch: state.some(reach), next: [...taken] }
  }
  const numberOf = (state: readonly number[]) => {
    const key = state.join()
    if (!numbers.has(key)) numbers.set(key, states.push(state) - 1)
    if (states.length > MAX_STATES) throw new Unsupported()
    return numbers.get(key)! << (rowBits + 2)
  }
  const entries: number[] = []
  for (const state of states) {
    const row = entries.length
    entries.length += 1 << rowBits
    for (let kind = 0; kind <= classes; kind++) {
      const { isMatch, next } = follow(state, kind)
      if (row === 0 && isMatch) throw new Unsupported() // it matches where nothing is
      const restart = row !== 0 && isMatch && next.length === 0 && kind < classes ? entries[kind] : STOP
      if (next.length > 0) entries[row + kind] = numberOf(next) | Number(isMatch)
      else if (kind === classes) entries[row + kind] = isMatch ? MATCH : STOP
      else if (restart & STOP) entries[row + kind] = STOP | Number(isMatch)
      else entries[row + kind] = restart | END | MATCH
    }
  }
  return { entries: Uint32Array.from(entries, (entry = 0) => entry), rowBits }
}

/** Whether the pattern may match nothing at a place where characters follow. */
function mayFail(entries: Uint32Array, classes: number): boolean {
  const reached = new Set([0])
  for (const row of reached) {
    for (let kind = 0; kind <= classes; kind++) {
      const entry = entries[(row >> 2) + kind]
      if (row === 0 && kind === classes) continue
      if (entry & MATCH) continue
      if (entry & STOP) return true
      reached.add(entry & ~7)
    }
  }
  return false
}
